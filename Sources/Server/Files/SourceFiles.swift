/// Reads the sources of a composed file and records their states.
package struct SourceFiles {
  /// A source as it was when it was read.
  enum Record: Sendable {
    /// The identity is nil if there was no such file.
    case file(String, FileRoot.Identity?)
    case folder(String, names: [String])
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
      records.append(.file(path, nil))
      return nil
    case .file(let file):
      guard file.identity.size <= Self.fileSize else { throw .invalid("\(path) is larger than 4 MiB") }
      guard let bytes = file.read(0..<file.identity.size), file.isUnchanged else { throw .unavailable }
      records.append(.file(path, file.identity))
      return bytes
    }
  }

  /// The names of the files in a folder, sorted, without those that begin with a dot.
  package mutating func names(in folder: String) -> [String] {
    let names = root.names(in: folder)
    records.append(.folder(folder, names: names))
    return names
  }

  /// The state of the source that changed last, or nil if no file was read.
  var latest: FileRoot.Identity? {
    let identities = records.compactMap { record -> FileRoot.Identity? in
      guard case .file(_, let identity) = record else { return nil }
      return identity
    }
    return identities.max {
      ($0.modifiedSeconds, $0.modifiedNanoseconds) < ($1.modifiedSeconds, $1.modifiedNanoseconds)
    }
  }

  /// Whether a source is still in the state in which it was read.
  static func isUnchanged(_ record: Record, below root: FileRoot) -> Bool {
    switch record {
    case .folder(let folder, let names): return root.names(in: folder) == names
    case .file(let path, let identity):
      switch root.open(path) {
      case .file(let file): return file.identity == identity
      case .none: return identity == nil
      case .unavailable: return false
      }
    }
  }
}
