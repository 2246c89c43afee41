import HTTPTypes
import Logging
import Reactor

/// One line a request, without query, fields or body: any of them may carry a secret.
struct AccessLog: Sendable {
  /// What one line tells.
  struct Line: Sendable {
    /// Names the request, as in errors.
    var request: String
    var method: HTTPRequest.Method
    /// As on the wire, without the query.
    var path: String
    var status: Int
    /// Of the answer, its head included.
    var bytes: Int
    var time: Duration
    var peer: SocketAddress
  }

  /// Receives the lines at info level.
  let logger: Logger

  /// Writes one line.
  func write(_ line: Line) {
    let milliseconds = (line.time / .milliseconds(1) * 1000).rounded() / 1000
    logger.info(
      "request",
      metadata: [
        "request": "\(line.request)", "method": "\(line.method.rawValue)", "path": "\(line.path)", "status": "\(line.status)",
        "bytes": "\(line.bytes)", "ms": "\(milliseconds)", "peer": "\(line.peer.host)",
      ])
  }

  /// Writes the line of a request that was refused before it was understood: nothing of it is told.
  func writeRefusal(status: Int, request: String, peer: SocketAddress) {
    logger.info(
      "request refused", metadata: ["request": "\(request)", "status": "\(status)", "peer": "\(peer.host)"])
  }
}
