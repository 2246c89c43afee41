/// Why a body could not be read; the connection closes after the response.
package enum BodyError: Error, Equatable, Sendable {
  /// The body exceeds the limit.
  case tooLarge
  /// The client disconnected before the end of the body.
  case disconnected
  /// The framing violates the protocol.
  case malformed
  /// The body arrived too slowly.
  case timedOut
  /// All request bodies together exceed their limit; the same request may succeed a moment later.
  case overBudget
}

/// The body of a request, which is read on demand and only once.
package struct RequestBody: Sendable {
  private enum Source: Sendable {
    case bytes([UInt8])
    case connection(ConnectionIO)
  }

  private let source: Source

  package static let empty = RequestBody([])

  /// A body with these bytes.
  package init(_ bytes: [UInt8]) {
    source = .bytes(bytes)
  }

  init(_ io: ConnectionIO) {
    source = .connection(io)
  }

  /// Whether the head announced no body.
  package var isEmpty: Bool {
    switch source {
    case .bytes(let bytes): bytes.isEmpty
    case .connection: false
    }
  }

  /// Reads the whole body. Throws `tooLarge` if it exceeds `limit` or the server's limit, and `overBudget` if all bodies together
  /// exceed theirs. The bytes count against the budget until the response.
  ///
  /// Sends `100 Continue` if the client waits for it. A second call, or a call after the response, throws `disconnected`.
  package func collect(upTo limit: Int) async throws(BodyError) -> [UInt8] {
    switch source {
    case .bytes(let bytes):
      guard bytes.count <= limit else { throw .tooLarge }
      return bytes
    case .connection(let io): return try await io.collectBody(upTo: limit)
    }
  }

  /// Passes the body on in pieces of about `size` bytes, and reads the next when `take` has returned. Throws `BodyError` like
  /// ``collect(upTo:)``, and whatever `take` throws. `take` runs on the connection's event loop and must not block it.
  ///
  /// The server accepts bodies above its limit only at `ServerLimits.streamedPaths`.
  package func read(
    upTo limit: Int, inPiecesOf size: Int, _ take: @Sendable @escaping ([UInt8]) async throws -> Void
  ) async throws {
    switch source {
    case .bytes(let bytes):
      guard bytes.count <= limit else { throw BodyError.tooLarge }
      if !bytes.isEmpty { try await take(bytes) }
    case .connection(let io): try await io.streamBody(upTo: limit, inPiecesOf: size, take)
    }
  }
}
