package import FoundationEssentials
package import Team

extension PersonStore {
  /// The people whom `proxy` names, among the browsers of `store`.
  package convenience init(proxy: PersonProxy, store: BrowserStore, wall: @escaping @Sendable () -> Date) {
    self.init(
      storage: store.storage, rows: store.rows, isOwner: { proxy.isOwner($0) }, firstRole: proxy.firstRole, wall: wall,
      pruneBrowsers: { try store.prune($0, now: $1) }, forgetBrowsers: { store.credentials.removeAll() },
      deleteBrowser: { try await store.deleteBrowser(id: $0) })
  }
}

extension Persons {
  /// The people whom `proxy` names, with the devices of `registry`.
  package init(proxy: PersonProxy, registry: DeviceRegistry, backendID: String, wall: @escaping @Sendable () -> Date) {
    self.init(
      store: PersonStore(proxy: proxy, store: registry.store, wall: wall), storage: registry.store.storage,
      rows: registry.store.rows, backendID: backendID, tagKey: registry.tagKey, wall: wall)
  }

  /// Deletes old entries of the audit log, and the recordings of deleted workspaces.
  package func removeExpired(_ registry: DeviceRegistry) async throws {
    try await log.prune()
    try await registry.removeOrphanedRecordings(workspaces)
  }
}

extension DeviceRegistry {
  /// Deletes the recordings of deleted workspaces.
  nonisolated func removeOrphanedRecordings(_ workspaces: Workspaces) async throws {
    guard let savedLog else { return }
    try await RecordingStore(store: savedLog).removeOrphans { try await workspaces.ids() }
  }
}
