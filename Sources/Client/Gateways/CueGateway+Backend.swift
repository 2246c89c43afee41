package import Domain
import FoundationEssentials
import RPC

extension CueGateway {
  /// The cue operations on a device's store and the backend.
  package static func backend(_ sync: CueSync) -> CueGateway {
    CueGateway(
      local: { () throws(CueError) in try await run(sync) { sync throws(CueError) in try await sync.local() } },
      refresh: { () throws(CueError) in
        try await run(sync) { sync throws(CueError) in try await sync.fetch(Flow(name: "browse_cues")) }
      },
      refreshInBackground: { await sync.enter { sync in sync.beginFetch() } },
      shuffle: { () throws(CueError) in try await run(sync) { sync throws(CueError) in try await sync.shuffle() } },
      edit: { cueID, stage throws(CueError) in
        try await run(sync) { sync throws(CueError) in try await sync.edit(cueID: cueID, stage: stage) }
      },
      endSession: { discardsEdits, end throws(CueError) in
        try await run(sync) { sync throws(CueError) in try await sync.endSession(discardsEdits: discardsEdits, end: end) }
      })
  }

  private static func run<Value: Sendable>(
    _ sync: CueSync, _ body: @escaping @Sendable (isolated CueSync) async throws(CueError) -> Value
  ) async throws(CueError) -> Value {
    let result = await sync.enter { sync -> Result<Value, CueError> in
      do throws(CueError) { return .success(try await body(sync)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}

extension APIClient {
  /// Sends an edit once; returns nil if sending was canceled. With `canWait`, it waits for connectivity.
  func send(_ edit: CueEdit, epoch: UInt64, canWait: Bool) async -> Outbox.Outcome? {
    let request = CueStageRequest(cueID: edit.cueID, stage: edit.stage, baseUpdatedAt: edit.base)
    let options = CueCallOptions(
      epoch: epoch, idempotencyKey: edit.key, isRetryable: false,
      flow: Flow(name: "update_cue_stage", isBackground: canWait))
    do throws(NetworkError) {
      switch try await reply(CueEndpoints.UpdateCueStage(), body: request, options: options) {
      case .done(let cue): return cue.cueID == edit.cueID ? .applied(cue.accepting(edit.stage)) : .busy(retryAfterSeconds: nil)
      case .conflict(let cue): return .conflict(cue?.cueID == edit.cueID ? cue : nil)
      }
    } catch {
      return Outbox.Outcome(error)
    }
  }
}

extension Outbox.Outcome {
  /// Maps an error to the outcome of an edit; nil for a cancellation. Unknown errors count as transient.
  init?(_ error: NetworkError) {
    switch (error, error.backendCode) {
    case (.cancelled, _): return nil
    case (.sessionEnded, _): self = .sessionOver
    case (_, BackendErrorCode.cueNotFound), (_, BackendErrorCode.profileNotFound): self = .gone
    case (_, BackendErrorCode.idempotencyMismatch): self = .keyConflict
    case (_, BackendErrorCode.invalidRequest), (_, BackendErrorCode.methodNotAllowed), (_, BackendErrorCode.payloadTooLarge),
      (_, BackendErrorCode.unsupportedMediaType):
      self = .refused
    case (.rejected(400, _), _), (.rejected(405, _), _), (.rejected(413, _), _), (.rejected(415, _), _), (.rejected(422, _), _):
      self = .refused
    case (.offline, _), (.connectionLost, _), (.transport, _): self = .offline
    default: self = .busy(retryAfterSeconds: error.retryAfterSeconds)
    }
  }
}

extension CueError {
  /// Maps a network error.
  package init(_ error: NetworkError) {
    self =
      switch (error, error.backendCode) {
      case (.sessionEnded, _): .sessionEnded
      case (_, BackendErrorCode.cueNotFound): .cueNotFound
      case (_, BackendErrorCode.profileNotFound): .profileNotFound
      default: .failed(CallFailure(error))
      }
  }

  /// Maps an error of fetching the user.
  init(_ error: AccountError) {
    if case .failed(let failure) = error {
      self = .failed(failure)
    } else if error == .signedOut {
      self = .signedOut
    } else if error == .sessionEnded {
      self = .sessionEnded
    } else {
      self = .profileNotFound
    }
  }

  /// Maps a storage error.
  init(_ error: CueStoreError) {
    switch error {
    case .storageFull: self = .storageFull
    case .unavailable: self = .failed(.unavailable())
    }
  }

  /// A stable identifier for notices.
  var word: String {
    switch self {
    case .signedOut: "signed_out"
    case .sessionEnded: "session_ended"
    case .cueNotFound, .profileNotFound: "not_found"
    case .unknownStage: "invalid_request"
    case .conflict, .failed(.conflict): "conflict"
    case .unsyncedEdits: "unsynced_edits"
    case .storageFull: "storage_full"
    case .failed(.offline): "offline"
    case .failed(.timeout): "timeout"
    case .failed(.rateLimited): "too_many_attempts"
    case .failed(.unexpectedPayload): "unexpected_payload"
    case .failed(.pinMismatch): "pin_mismatch"
    case .failed(.tlsFailed): "tls_failed"
    case .failed(.signatureRejected): "signature_rejected"
    case .failed(.unavailable), .failed(.cancelled): "unavailable"
    case .failed: "backend_error"
    }
  }
}
