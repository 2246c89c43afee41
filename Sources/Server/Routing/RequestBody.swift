import Wire

/// Why a body could not be read; the connection then ends after the answer.
package enum BodyError: Error, Equatable, Sendable {
  /// It is over the limit.
  case tooLarge
  /// The sender went away before its end.
  case disconnected
  /// Its framing breaks the protocol.
  case malformed
  /// It came too slowly.
  case timedOut
  /// The bodies of all requests together are over their limit: the same request may work in a moment.
  case overBudget
}

/// The body of a request. It is read only when asked for, once.
package struct RequestBody: Sendable {
  private enum Source: Sendable {
    case bytes([UInt8])
    case connection(ConnectionIO)
  }

  private let source: Source

  /// No body.
  package static let empty = RequestBody([])

  /// A body of known bytes.
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

  /// The whole body; throws `tooLarge` where it has more than `limit` bytes or the server's own limit, and `overBudget` where all
  /// bodies have more than they may. Its bytes count until the request is answered.
  ///
  /// A client that waits for it is told to continue. A second call, or one after the answer, throws `disconnected`.
  package func collect(upTo limit: Int) async throws(BodyError) -> [UInt8] {
    switch source {
    case .bytes(let bytes):
      guard bytes.count <= limit else { throw .tooLarge }
      return bytes
    case .connection(let io): return try await io.collectBody(upTo: limit)
    }
  }
}
