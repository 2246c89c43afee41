import Domain
import FoundationEssentials
import JSON
import Logging
import RPC
import Locking
import Vault

extension CueSync {
  /// The number of the user's edits that have not reached the backend.
  var unsentCount: Int { outbox?.state.edits.count ?? 0 }

  /// The number of the user's edits that have not reached the backend; 0 if nobody is known to be signed in.
  package nonisolated func unsentEdits() async -> Int {
    guard let epoch = await session.identity()?.epoch else { return 0 }
    // Every page asks for it, so the actor is entered only if it does not know the session yet.
    if let told = count.withLock({ $0 }), told.epoch == epoch { return told.edits }
    return await enter { sync in
      _ = try? await sync.resolve(asksBackend: false)
      return sync.unsentCount
    }
  }

  /// The stored list; nil if it was never fetched.
  func local() async throws(CueError) -> CueList? {
    let tenant = try await resolve()
    return try list(tenant, source: isFresh(tenant) ? .network : .cache)
  }

  /// Whether the list was fetched a moment ago and the backend has been reachable since.
  private func isFresh(_ tenant: Tenant) -> Bool {
    guard !api.attemptSender.connectivity.hasRecentFailure else { return false }
    return lastSync.map { $0.tenant == tenant && time.monotonic() < $0.instant + Self.freshness } ?? false
  }

  /// Fetches, reconciles and stores the list.
  func fetch(_ flow: Flow, isRetryable: Bool = true) async throws(CueError) -> CueList {
    let tenant = try await resolve()
    let reply: CueReply<CueListBody>
    do throws(NetworkError) {
      reply = try await api.reply(
        CueEndpoints.GetCues(profileID: tenant.owner.profileID), body: NoBody(),
        options: CueCallOptions(epoch: tenant.epoch, isRetryable: isRetryable, flow: flow))
    } catch {
      throw CueError(error)
    }
    guard case .done(let body) = reply else { throw .failed(.conflict) }
    return try await keep(body.cues, tenant)
  }

  /// Lets the backend shuffle the cues and stores the new order.
  func shuffle() async throws(CueError) -> CueList {
    let tenant = try await resolve()
    let reply: CueReply<ShuffledCuesBody>
    do throws(NetworkError) {
      reply = try await api.reply(
        CueEndpoints.ShuffleCues(), body: ShuffleRequest(profileID: tenant.owner.profileID),
        options: CueCallOptions(epoch: tenant.epoch, flow: Flow(name: "shuffle_cues")))
    } catch {
      throw CueError(error)
    }
    guard case .done(let body) = reply else { throw .failed(.conflict) }
    return try await keep(body.cues, tenant)
  }

  /// Reconciles a response with the stored list; throws `sessionEnded` if its session is over.
  private func keep(_ answered: [CueBody], _ tenant: Tenant) async throws(CueError) -> CueList {
    guard await session.isCurrent(epoch: tenant.epoch), tenant == self.tenant, !isStopped else { throw .sessionEnded }
    let change: CueReconciliation
    let cues: [CueBody]
    do throws(CueStoreError) {
      cues = try store.completed(answered, owner: tenant.owner)
      change = try store.reconcile(cues, owner: tenant.owner, syncedAt: Timestamp(time.wall()))
    } catch {
      throw CueError(error)
    }
    // Notifies only of a change, so that reading the list after a notice does not cause another one.
    let isNews = change.changesSomething || !isFresh(tenant)
    lastSync = (tenant, time.monotonic())
    perform(.fetched(cues))
    perform(.wake)
    if isNews { notify(CueNotice(kind: .synced, unsent: unsentCount)) }
    guard let list = try list(tenant, source: .network) else { throw .failed(.unavailable()) }
    return list
  }

  /// Saves an edit, then waits briefly for its resolution.
  func edit(cueID: String, stage: Domain.CueStage) async throws(CueError) -> CueEditOutcome {
    var tenant = try await resolve()
    if try list(tenant, source: .cache) == nil {
      _ = try await fetch(Flow(name: "update_cue_stage"))
      tenant = try await resolve()
    }
    guard !isEnding, tenant == self.tenant else { throw .sessionEnded }
    guard let known = try storedCue(cueID, tenant), known.profileID == tenant.owner.profileID else { throw .cueNotFound }
    let before = displayed(known)
    if before.stage == stage, before.conflict == nil { return before.isPending ? .kept(before) : .reached(before) }
    guard unsentCount < Outbox.limit else { throw .storageFull }
    let id = SecureRandom.uuid()
    guard perform(.edit(id: id, key: SecureRandom.uuid(), cue: known, stage: RPC.CueStage(stage))) else { throw .storageFull }
    // Picking the backend's version leaves nothing to send.
    guard outbox?.state.edits.contains(where: { $0.id == id }) == true else { return .reached(displayed(known)) }
    switch await resolution(of: id) {
    case .applied:
      return .reached(try self.outbox?.userID == tenant.owner.userID ? storedCue(cueID, tenant).map(displayed) ?? before : before)
    case .conflict: throw .conflict
    case .gone: throw .cueNotFound
    case .refused: throw .failed(.backendError)
    case nil:
      guard outbox?.userID == tenant.owner.userID else { throw .sessionEnded }
      return .kept(displayed(try storedCue(cueID, tenant) ?? known))
    }
  }

  /// Ends the session unless that would lose edits without the user's consent; first waits briefly for edits in progress.
  func endSession(discardsEdits: Bool, end: @Sendable () async -> Void) async throws(CueError) {
    guard (try? await resolve(asksBackend: false)) != nil else { return await Self.end(end) }
    if !discardsEdits, let last = outbox?.state.edits.last(where: { !$0.isConflict }) { _ = await resolution(of: last.id) }
    guard discardsEdits || unsentCount == 0 else { throw .unsyncedEdits(count: unsentCount) }
    // From here on no edit is accepted, so that none is made between the count and the end.
    isEnding = true
    defer { isEnding = false }
    if discardsEdits, !discardEdits() { throw .storageFull }
    await Self.end(end)
    if await session.identity() == nil { close() }
  }

  private static func end(_ body: @Sendable () async -> Void) async {
    await Flow.$current.withValue(Flow(name: "logout")) { await body() }
  }

  // MARK: Display

  /// A cue as it is shown: the backend's version with unsent edits applied.
  func displayed(_ cue: CueBody) -> Cue { Cue(cue, edits: outbox?.state.edits(cueID: cue.cueID) ?? []) }

  /// Sends a notice for every cue that the actions affect.
  func announce(_ actions: [Outbox.Action]) {
    var told: Set<String> = []
    for action in actions {
      guard case .resolve(let edit, let resolution) = action, resolution != .applied else { continue }
      told.insert(edit.cueID)
      switch resolution {
      case .conflict: notify(notice(.conflict, edit.cueID))
      case .gone: notify(notice(.dropped, edit.cueID, reason: BackendErrorCode.cueNotFound))
      default: notify(notice(.dropped, edit.cueID, reason: "refused"))
      }
      logger.warning("an edit did not reach the backend", metadata: ["resolution": "\(resolution)", "cue": "\(edit.cueID)"])
    }
    for case .save(let change) in actions where told.insert(change.cueID).inserted { notify(notice(.updated, change.cueID)) }
  }

  private func notice(_ kind: CueNotice.Kind, _ cueID: String, reason: String? = nil) -> CueNotice {
    let cue = outbox.flatMap { outbox in try? store.cue(id: cueID, userID: outbox.userID) }
    return CueNotice(kind: kind, cue: cue.map(displayed), cueID: cueID, reason: reason, unsent: unsentCount)
  }

  private func list(_ tenant: Tenant, source: CueList.Source) throws(CueError) -> CueList? {
    do throws(CueStoreError) {
      return try store.list(tenant.owner).map { cues, syncedAt in
        CueList(cues: cues.map(displayed), source: source, syncedAt: syncedAt.date)
      }
    } catch {
      throw CueError(error)
    }
  }

  private func storedCue(_ cueID: String, _ tenant: Tenant) throws(CueError) -> CueBody? {
    do throws(CueStoreError) { return try store.cue(id: cueID, userID: tenant.owner.userID) } catch { throw CueError(error) }
  }
}
