import Observability
package import Storage

extension RowSequence: StorageConvertible {
  package var storageValue: StorageValue { .integer(Int64(clamping: number)) }
}

extension StorageRow {
  /// The sequence of a column; nil for null. Throws ``StorageError/mismatch(_:)``.
  func sequence(_ name: String) throws(StorageError) -> RowSequence { RowSequence(clamping: try integer(name)) }
}
