import Domain
package import FoundationEssentials
import Storage
package import Team

extension PersonStore {
  /// The persons whom `proxy` names, among the browsers of `store`.
  package convenience init(proxy: PersonProxy, store: BrowserStore, wall: @escaping @Sendable () -> Date) {
    self.init(
      storage: store.storage, rows: store.rows,
      browsers: Browsers(
        prune: { try store.prune($0, now: $1) }, forget: { store.credentials.removeAll() },
        delete: { try await store.deleteBrowser(id: $0) }),
      isOwner: { proxy.isOwner($0) }, firstRole: proxy.firstRole, wall: wall)
  }
}

extension Persons {
  /// The persons whom `proxy` names, with the devices of `registry`.
  package init(proxy: PersonProxy, registry: DeviceRegistry, backendID: String, wall: @escaping @Sendable () -> Date) {
    self.init(
      store: PersonStore(proxy: proxy, store: registry.store, wall: wall), storage: registry.store.storage,
      rows: registry.store.rows, backendID: backendID, tagKey: registry.tagKey, wall: wall)
  }
}
