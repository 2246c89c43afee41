/// The bytes of a file or of one of its content codings, in memory or on disk.
enum FileContent: Sendable {
  case memory([UInt8])
  case disk(OpenFile)

  /// A part of a body: a range of the file, or bytes between ranges.
  enum Piece: Sendable {
    case text([UInt8])
    case slice(Range<Int>)

    /// The length in bytes.
    var count: Int {
      switch self {
      case .text(let bytes): bytes.count
      case .slice(let range): range.count
      }
    }
  }

  /// The file was removed or truncated while it was sent.
  struct Broken: Error {}

  /// Ranges of files in memory up to this size are copied at once; larger ones piece by piece as the client takes them.
  private static let copiedSize = 65_536
  private static let slice = 131_072

  /// The length in bytes.
  var count: Int {
    switch self {
    case .memory(let bytes): bytes.count
    case .disk(let file): file.identity.size
    }
  }

  /// The whole content as a body.
  var body: Response.Body {
    switch self {
    case .memory(let bytes): .bytes(bytes)
    case .disk: body(of: [.slice(0..<count)])
    }
  }

  /// The pieces, one after another, as a body.
  func body(of pieces: [Piece]) -> Response.Body {
    let length = pieces.reduce(0) { $0 + $1.count }
    if case .memory(let bytes) = self, length <= Self.copiedSize {
      return .bytes(
        pieces.reduce(into: []) { result, piece in
          switch piece {
          case .text(let text): result += text
          case .slice(let range): result += bytes[range]
          }
        })
    }
    return .stream(length: length) { writer in
      for piece in pieces {
        switch piece {
        case .text(let text): try await writer.write(text)
        case .slice(let range): try await write(range, to: writer)
        }
      }
    }
  }

  private func write(_ range: Range<Int>, to writer: BodyWriter) async throws {
    var start = range.lowerBound
    while start < range.upperBound {
      let end = min(start + Self.slice, range.upperBound)
      switch self {
      case .memory(let bytes): try await writer.write(Array(bytes[start..<end]))
      case .disk(let file):
        guard let bytes = file.read(start..<end) else { throw Broken() }
        try await writer.write(bytes)
      }
      start = end
    }
  }
}
