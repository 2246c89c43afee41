import BackendFile
import FoundationEssentials
import Locking

/// What the requests of a sign-in have captured until it is complete, such as the session that a code belongs to.
///
/// A store keeps it over restarts for as long as the code or link is valid; while the process runs, the backend alone decides.
final class SignInValues: Sendable {
  private struct State {
    var values: [String: String] = [:]
    /// Whether nothing that an earlier process stored counts any more.
    var hasLoaded = false
  }

  private let store: (any SignInStore)?
  private let state = Locked(State())

  init(store: (any SignInStore)? = nil) { self.store = store }

  /// What a call of the sign-in may use: nothing of another identifier's. A link names none, and a request may have asked for none.
  func values(for identifier: String?, at now: Date) async -> [String: String] {
    await loadOnce(at: now)
    return state.withLock { state in
      let owner = state.values[FlowValue.identifier.rawValue]
      return identifier == nil || owner == nil || owner == identifier ? state.values : [:]
    }
  }

  /// Begins another sign-in with what its first call captured; later processes use it until `until`, and only values that the file
  /// uses.
  func begin(_ captured: CapturedSession, until: Date, used: Set<String>) async {
    state.withLock { $0 = State(values: captured.values, hasLoaded: true) }
    let identifier = FlowValue.identifier.rawValue
    let kept = captured.values.filter { $0.key == identifier || used.contains($0.key) }
    await stored { store in
      if kept.keys.contains(where: { $0 != identifier }) {
        try store.save(UnfinishedSignIn(values: kept, until: until))
      } else {
        try store.clear()
      }
    }
  }

  /// Ends the sign-in.
  func clear() async {
    state.withLock { $0 = State(hasLoaded: true) }
    await stored { store in try store.clear() }
  }

  /// Takes what an earlier process stored, unless this one has begun a sign-in.
  private func loadOnce(at now: Date) async {
    guard let store, !state.withLock({ $0.hasLoaded }) else { return }
    let found = await Task.detached { try? store.load() }.value ?? nil
    guard let found, found.until > now else {
      state.withLock { $0.hasLoaded = true }
      if found != nil { await stored { store in try store.clear() } }
      return
    }
    state.withLock { state in
      if !state.hasLoaded { state = State(values: found.values, hasLoaded: true) }
    }
  }

  /// Changes the store off the caller's thread; what cannot be stored counts for this process alone.
  private func stored(_ change: @escaping @Sendable (any SignInStore) throws -> Void) async {
    guard let store else { return }
    await Task.detached { try? change(store) }.value
  }
}
