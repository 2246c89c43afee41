import Domain
import Logging
import Observability

extension AttemptSender {
  /// Suspends a call that waits for connectivity until the backend is reachable; its next attempt's row shows it as waiting.
  ///
  /// Throws `offline` if the call's deadline passes first, or `cancelled`.
  func awaitConnectivity(_ call: inout Call) async throws(AttemptFailure) {
    guard call.waitsForConnectivity else { return }
    if connectivity.hasRecentFailure, call.waitingRow == nil {
      call.attempts += 1
      call.waitingRow = recorder.begin(
        call, request: request(for: call, token: nil), parent: nil, at: time.wall(), state: .waiting)
    }
    switch await connectivity.waitUntilAdmitted(until: call.deadline) {
    case .go: return
    case .timedOut: throw AttemptFailure(.offline)
    case .cancelled: throw AttemptFailure(.cancelled)
    }
  }

  /// Ends the row of a call that waited and was never sent.
  func endWaiting(_ call: inout Call, error: NetworkError) {
    guard let row = call.waitingRow else { return }
    call.waitingRow = nil
    recorder.finishUnsent(row, call, request: request(for: call, token: nil), error: error)
  }

  /// Records what an attempt revealed about the backend's reachability.
  func note(_ signal: Connectivity.Signal) {
    guard connectivity.note(signal) else { return }
    loggers.network.notice("the backend is \(signal == .reached ? "reachable again" : "unreachable")")
  }
}
