import BackendFile
import FoundationEssentials
import Locking

/// The captured values of an incomplete sign-in, such as the session that a code belongs to.
///
/// A store keeps them over restarts for as long as the code or link is valid; while the process runs, only the backend decides.
final class SignInValues: Sendable {
  private struct State {
    var values: [String: String] = [:]
    /// Whether the values of an earlier process are loaded or outdated.
    var hasLoaded = false
    /// Whether storing has ended, because the device may be deleted next.
    var isClosed = false
    /// The last change of the store; each waits for the one before, so that they happen in the order of the states.
    var lastChange: Task<Void, Never>?
  }

  private let store: (any SignInStore)?
  private let state = Locked(State())

  init(store: (any SignInStore)? = nil) { self.store = store }

  /// The captured values for a call of the sign-in, unless they belong to another identifier. A link has no identifier, and a
  /// request may have none.
  ///
  /// An earlier process's values count only if they may be sent to all `hosts` of the file.
  func values(for identifier: String?, at now: Date, hosts: Set<String>) async -> [String: String] {
    await loadOnce(at: now, hosts)
    return state.withLock { state in
      let owner = state.values[FlowValue.identifier.rawValue]
      return identifier == nil || owner == nil || owner == identifier ? state.values : [:]
    }
  }

  /// Begins another sign-in with the values that its first call captured; later processes use them until `until`, and only values
  /// that the file uses.
  func begin(_ captured: CapturedSession, until: Date, used: Set<String>, hosts: Set<String>) async {
    let identifier = FlowValue.identifier.rawValue
    let kept = captured.values.filter { $0.key == identifier || used.contains($0.key) }
    let isKept = kept.keys.contains { $0 != identifier }
    await change { state in
      (state.values, state.hasLoaded) = (captured.values, true)
    } and: { store in
      if isKept {
        try store.save(UnfinishedSignIn(values: kept, until: until, hosts: hosts))
      } else {
        try store.clear()
      }
    }
  }

  /// Ends the sign-in.
  func clear() async {
    await change { state in
      (state.values, state.hasLoaded) = ([:], true)
    } and: { store in
      try store.clear()
    }
  }

  /// Stops storing, and returns when the last change is stored.
  func close() async {
    let last = state.withLock { state in
      state.isClosed = true
      return state.lastChange
    }
    await last?.value
  }

  /// Loads an earlier process's values, unless this process has begun a sign-in.
  private func loadOnce(at now: Date, _ hosts: Set<String>) async {
    guard store != nil, !state.withLock({ $0.hasLoaded }) else { return }
    let found = Locked<UnfinishedSignIn?>(nil)
    await change { _ in
    } and: { store in
      guard let stored = try store.load() else { return }
      guard stored.until > now, hosts.isSubset(of: stored.hosts) else { return try store.clear() }
      found.withLock { $0 = stored }
    }
    let values = found.withLock { $0?.values ?? [:] }
    state.withLock { state in
      if !state.hasLoaded { (state.values, state.hasLoaded) = (values, true) }
    }
  }

  /// Changes the state, and then the store off the caller's thread; values that cannot be stored stay in this process.
  private func change(
    _ body: (inout State) -> Void, and work: @escaping @Sendable (any SignInStore) throws -> Void
  ) async {
    let task: Task<Void, Never>? = state.withLock { state in
      body(&state)
      guard let store, !state.isClosed else { return nil }
      let task = Task.detached { [last = state.lastChange] in
        await last?.value
        try? work(store)
      }
      state.lastChange = task
      return task
    }
    await task?.value
  }
}
