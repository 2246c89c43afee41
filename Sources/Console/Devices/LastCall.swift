import Client
import Locking

/// What a device's last call says about the backend.
package enum LastCall: String, Codable, CaseIterable, Sendable {
  /// The device has not called it yet.
  case none
  /// The backend sent a response that is not a server error.
  case ok
  /// No usable response arrived, or a server error.
  case failed

  /// Derives it from an attempt that has ended; nil if the attempt says nothing about the backend, such as a canceled one or one
  /// whose outcome a fault rule decided.
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

/// Follows what a device's calls say about the backend.
package final class LastCallWatch: Sendable {
  private let state = Locked(LastCall.none)
  private let continuation: AsyncStream<Void>.Continuation
  /// An element after each change; several changes may share one.
  let changes: AsyncStream<Void>

  package init() {
    (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// What the last call says.
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
