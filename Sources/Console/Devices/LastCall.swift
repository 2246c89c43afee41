import Client
import Locking

/// The backend's reachability according to a device's last call.
package enum LastCall: String, Codable, CaseIterable, Sendable {
  /// The device has not called it yet.
  case none
  /// The backend sent a response that is not a server error.
  case ok
  /// No usable response arrived, or a server error.
  case failed

  /// Derives it from an attempt that has ended; nil if the attempt does not show the backend's state, such as a canceled attempt
  /// or one whose outcome a fault rule decided.
  init?(_ report: AttemptReport) {
    guard !report.isSimulated else { return nil }
    switch (report.status, report.error) {
    case (let status?, let error): self = status >= 500 || error == "unexpected_payload" ? .failed : .ok
    case (nil, "offline"), (nil, "timeout"), (nil, "connection_lost"), (nil, "transport"), (nil, "pin_mismatch"),
      (nil, "tls_failed"):
      self = .failed
    default: return nil
    }
  }
}

/// Follows the backend's reachability as a device's calls show it.
package final class LastCallWatch: Sendable {
  private let state = Locked(LastCall.none)
  private let continuation: AsyncStream<Void>.Continuation
  /// An element after each change; several changes may share one.
  let changes: AsyncStream<Void>

  package init() {
    (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// The backend's reachability at the last call.
  var last: LastCall { state.withLock { $0 } }

  /// Takes an attempt that has ended.
  func note(_ report: AttemptReport) {
    guard let now = LastCall(report) else { return }
    let isNew = state.withLock { last in
      defer { last = now }
      return last != now
    }
    if isNew { continuation.yield() }
  }
}
