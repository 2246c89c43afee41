import FoundationEssentials
import Glibc
import Locking
import Observability
import Text
import Vault

/// Stores an uploaded file on the disk until it is read. The file has no name, so that a kill leaves no trace, and is sealed with
/// a key that is only in memory, because it can contain secrets.
final class SealedSpool: ByteSource, Sendable {
  private struct State {
    /// The bytes after the last whole piece.
    var tail: [UInt8] = []
    /// How many pieces are on the disk.
    var pieces = 0
    /// The piece that was read last; most reads are near each other.
    var open: (index: Int, bytes: [UInt8])?
  }

  /// How many bytes are sealed together.
  private static let pieceSize = 64 << 10
  /// How many more bytes a sealed piece takes on the disk.
  private static let overhead = 28

  private let descriptor: Int32
  private let key = SealingKey.random()
  private let state = Locked(State())

  /// Creates a file in a folder; throws `Problem.storageFull` if that fails.
  init(folder: String) throws(Problem) {
    let path = "\(folder)/import-\(Hex.encode(SecureRandom.bytes(16)))"
    let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .storageFull }
    unlink(path)
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  var count: Int { state.withLock { $0.pieces * Self.pieceSize + $0.tail.count } }

  /// Adds bytes at the end; throws `Problem.storageFull` if the disk does not take them.
  func append(_ bytes: [UInt8]) throws(Problem) {
    try state.withLock { state throws(Problem) in
      state.tail += bytes
      var start = 0
      while state.tail.count - start >= Self.pieceSize {
        try write(Array(state.tail[start..<(start + Self.pieceSize)]), at: state.pieces)
        state.pieces += 1
        start += Self.pieceSize
      }
      state.tail.removeFirst(start)
    }
  }

  func read(at offset: Int, _ count: Int) throws(ArchiveError) -> [UInt8] {
    guard offset >= 0, count >= 0, offset <= self.count - count else { throw ArchiveError(.unreadable) }
    return try state.withLock { state throws(ArchiveError) in
      var result: [UInt8] = []
      result.reserveCapacity(count)
      while result.count < count {
        let position = offset + result.count
        let (index, start) = position.quotientAndRemainder(dividingBy: Self.pieceSize)
        let piece = try piece(index, &state)
        result += piece[start..<min(piece.count, start + count - result.count)]
      }
      return result
    }
  }

  private func piece(_ index: Int, _ state: inout State) throws(ArchiveError) -> [UInt8] {
    if index == state.pieces { return state.tail }
    if let open = state.open, open.index == index { return open.bytes }
    let size = Self.pieceSize + Self.overhead
    let sealed = [UInt8](unsafeUninitializedCapacity: size) { buffer, made in
      while made < size {
        let more = pread(descriptor, buffer.baseAddress?.advanced(by: made), size - made, off_t(index * size + made))
        if more < 0, errno == EINTR { continue }
        guard more > 0 else { return }
        made += more
      }
    }
    guard let bytes = try? key.open(sealed, associatedData: Self.place(index)) else { throw ArchiveError(.unreadable) }
    state.open = (index, bytes)
    return bytes
  }

  private func write(_ bytes: [UInt8], at index: Int) throws(Problem) {
    let sealed = key.seal(bytes, associatedData: Self.place(index))
    var written = 0
    while written < sealed.count {
      let more = sealed.withUnsafeBytes { buffer in
        pwrite(
          descriptor, buffer.baseAddress?.advanced(by: written), sealed.count - written,
          off_t(index * (Self.pieceSize + Self.overhead) + written))
      }
      if more < 0, errno == EINTR { continue }
      guard more > 0 else { throw .storageFull }
      written += more
    }
  }

  private static func place(_ index: Int) -> [UInt8] { Array("import \(index)".utf8) }
}
