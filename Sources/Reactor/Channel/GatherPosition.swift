import Glibc

/// The position within a gathered write of several buffers.
struct GatherPosition {
  private let buffers: [[UInt8]]
  private var index = 0
  private var offset = 0

  /// The most buffers for one system call.
  private static let width = 16

  init(_ buffers: [[UInt8]]) {
    self.buffers = buffers
    skipEmpty()
  }

  /// Whether everything was sent.
  var isDone: Bool { index == buffers.count }

  /// Advances by the number of bytes sent.
  mutating func advance(by count: Int) {
    var rest = count
    while rest > 0, index < buffers.count {
      let left = buffers[index].count - offset
      if rest < left {
        offset += rest
        return
      }
      rest -= left
      index += 1
      offset = 0
    }
    skipEmpty()
  }

  private mutating func skipEmpty() {
    while index < buffers.count, buffers[index].count == offset {
      index += 1
      offset = 0
    }
  }

  /// Calls `body` with the next buffers as `iovec`s.
  func withVectors(_ body: (UnsafeMutableBufferPointer<iovec>) -> Int) -> Int {
    let count = min(Self.width, buffers.count - index)
    return withUnsafeTemporaryAllocation(of: iovec.self, capacity: count) { fill($0, 0, body) }
  }

  /// Nests one scope for each buffer, so that every pointer stays valid during the call.
  private func fill(
    _ vectors: UnsafeMutableBufferPointer<iovec>, _ filled: Int, _ body: (UnsafeMutableBufferPointer<iovec>) -> Int
  ) -> Int {
    guard filled < vectors.count else { return body(vectors) }
    let skipped = filled == 0 ? offset : 0
    return buffers[index + filled].withUnsafeBytes { bytes in
      let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
      vectors.initializeElement(at: filled, to: iovec(iov_base: start?.advanced(by: skipped), iov_len: bytes.count - skipped))
      return fill(vectors, filled + 1, body)
    }
  }
}
