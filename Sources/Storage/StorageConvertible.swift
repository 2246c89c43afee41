package import FoundationEssentials

/// A Swift value that a column can store.
package protocol StorageConvertible {
  /// The value as a column stores it.
  var storageValue: StorageValue { get }
}

extension StorageValue: StorageConvertible {
  package var storageValue: StorageValue { self }
}

extension String: StorageConvertible {
  package var storageValue: StorageValue { .text(self) }
}

extension Int: StorageConvertible {
  package var storageValue: StorageValue { .integer(Int64(self)) }
}

extension Int64: StorageConvertible {
  package var storageValue: StorageValue { .integer(self) }
}

extension Double: StorageConvertible {
  package var storageValue: StorageValue { .real(self) }
}

/// 0 or 1.
extension Bool: StorageConvertible {
  package var storageValue: StorageValue { .integer(self ? 1 : 0) }
}

extension Data: StorageConvertible {
  package var storageValue: StorageValue { .bytes(Array(self)) }
}

extension [UInt8]: StorageConvertible {
  package var storageValue: StorageValue { .bytes(self) }
}

extension Optional: StorageConvertible where Wrapped: StorageConvertible {
  package var storageValue: StorageValue { self?.storageValue ?? .null }
}
