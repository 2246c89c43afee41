import HTTPTypes
import Logging
import Reactor

/// Writes one line for each request, without query, fields or body, because any of them may contain a secret.
struct AccessLog: Sendable {
  /// The content of one line.
  struct Line: Sendable {
    /// The request's identifier, as used in errors.
    var request: String
    var method: HTTPRequest.Method
    /// The path as sent, without the query.
    var path: String
    var status: Int
    /// The bytes of the response, including its head.
    var bytes: Int
    var time: Duration
    var peer: SocketAddress
  }

  /// Receives the lines at info level.
  let logger: Logger

  func write(_ line: Line) {
    let milliseconds = (line.time / .milliseconds(1) * 1000).rounded() / 1000
    logger.info(
      "request",
      metadata: [
        "request": "\(line.request)", "method": "\(line.method.rawValue)", "path": "\(line.path)", "status": "\(line.status)",
        "bytes": "\(line.bytes)", "ms": "\(milliseconds)", "peer": "\(line.peer.host)",
      ])
  }

  /// Writes a line for a request that was rejected before it was parsed; it contains nothing of the request.
  func writeRefusal(status: Int, request: String, peer: SocketAddress) {
    logger.info(
      "request refused", metadata: ["request": "\(request)", "status": "\(status)", "peer": "\(peer.host)"])
  }
}
