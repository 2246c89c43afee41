import Domain
import Logging

extension CueSync {
  /// The session's tenant; throws `signedOut`, or the error of fetching the user if they are not known.
  func resolve(asksBackend: Bool = true) async throws(CueError) -> Tenant {
    guard let identity = await session.identity() else { throw .signedOut }
    if let owner = knownOwner(identity) { return try adopt(Tenant(epoch: identity.epoch, owner: owner), identity) }
    guard asksBackend else { throw .failed(.unavailable()) }
    let account: FetchedAccount
    do throws(AccountError) { account = try await fetchMe() } catch { throw CueError(error) }
    guard let now = await session.identity(), now.epoch == identity.epoch else { throw .sessionEnded }
    guard let profileID = account.user.activeProfileID ?? account.profiles.first?.profileID else { throw .profileNotFound }
    return try adopt(Tenant(epoch: now.epoch, owner: CueOwner(userID: account.user.userID, profileID: profileID)), now)
  }

  private func knownOwner(_ identity: SessionIdentity) -> CueOwner? {
    if let user = identity.user, let profileID = user.activeProfileID {
      return CueOwner(userID: user.userID, profileID: profileID)
    }
    guard let kept = try? store.owner(loginID: identity.loginID) else { return nil }
    return identity.user.map { $0.userID == kept.userID } ?? true ? kept : nil
  }

  private func adopt(_ tenant: Tenant, _ identity: SessionIdentity) throws(CueError) -> Tenant {
    guard !isStopped else { throw .sessionEnded }
    // Another session has replaced this one in the meantime.
    if let current = self.tenant, current.epoch > tenant.epoch { throw .sessionEnded }
    guard tenant != self.tenant else { return tenant }
    do throws(CueStoreError) {
      if outbox?.userID != tenant.owner.userID {
        outbox = try PersistentOutbox(store: store, userID: tenant.owner.userID, backoff: api.backoff)
        releaseWaiters()
      }
      try store.setOwner(tenant.owner, loginID: identity.loginID)
      try store.retain(userID: tenant.owner.userID)
    } catch {
      throw CueError(error)
    }
    self.tenant = tenant
    perform(.open)
    return tenant
  }

  /// Removes what belonged to the session; unsent edits stay for their user.
  func close() {
    perform(.close)
    timer?.cancel()
    releaseWaiters()
    tenant = nil
    outbox = nil
    lastSync = nil
    do throws(CueStoreError) { try store.retain(userID: nil) } catch { logger.error("stored cues could not be removed") }
  }

  /// Drops the user's edits; false if that could not be saved.
  @discardableResult
  func discardEdits() -> Bool { perform(.discard) }
}
