/// Reads the sources of a composed file and records their states.
package struct SourceFiles {
  /// A source as it was when it was read.
  struct Record: Sendable {
    let path: String
    /// Nil if there was no such file.
    let identity: FileRoot.Identity?
  }

  private static let fileSize = 4 * 1024 * 1024

  private let root: FileRoot
  /// The sources in the order in which they were read.
  private(set) var records: [Record] = []

  init(root: FileRoot) { self.root = root }

  /// The bytes of a file, or nil if there is no such file.
  package mutating func bytes(of path: String) throws(CompositionError) -> [UInt8]? {
    switch root.open(path) {
    case .unavailable: throw .unavailable
    case .none:
      records.append(Record(path: path, identity: nil))
      return nil
    case .file(let file):
      guard file.identity.size <= Self.fileSize else { throw .invalid("\(path) is larger than 4 MiB") }
      guard let bytes = file.read(0..<file.identity.size), file.isUnchanged else { throw .unavailable }
      records.append(Record(path: path, identity: file.identity))
      return bytes
    }
  }

  /// The state of the source that changed last, or nil if no file was read.
  var latest: FileRoot.Identity? {
    records.compactMap(\.identity).max {
      ($0.modifiedSeconds, $0.modifiedNanoseconds) < ($1.modifiedSeconds, $1.modifiedNanoseconds)
    }
  }

  /// Whether a source is still in the state in which it was read.
  static func isUnchanged(_ record: Record, below root: FileRoot) -> Bool {
    switch root.open(record.path) {
    case .file(let file): file.identity == record.identity
    case .none: record.identity == nil
    case .unavailable: false
    }
  }
}
