import Domain
import HTTPTypes
import RPC
import Storage
import Support
import Locking

@testable import Client

/// A random sequence, from a seed, of calls, late responses, outages, logouts, logins and restarts of a complete client with
/// real files.
final class UserSchedule {
  /// The backend: the owners of tokens, and the responses that it holds back.
  private final class Scene: Sendable {
    struct State {
      var users: [String: String] = [:]
      var current = ""
      var held: [CheckedContinuation<Void, Never>] = []
      var isCut = false
      var isOver = false
    }

    let state = Locked(State())

    /// Waits until the schedule releases a response.
    func hold() async {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if !state.isOver { state.held.append(continuation) }
          return state.isOver
        }
        if isOver { continuation.resume() }
      }
    }
  }

  private struct Session: Hashable {
    let launch: Int
    let epoch: UInt64
  }

  private let harness: CacheHarness
  private let scene = Scene()
  private var random: SeededRandom
  private var stack: ClientStack
  private var launch = 0
  private var logins = 0
  private var isSignedIn = false
  private var users: [Session: String] = [:]
  private var calls: [(launch: Int, task: Task<Result<APIClient.DecodedResponse<MeBody>, NetworkError>, Never>)] = []
  /// The violations found.
  private(set) var leaks: [String] = []
  /// Whether the client, if somebody is signed in, got that user's response once the network was back.
  private(set) var isAnsweredAtTheEnd = true

  init(seed: UInt64) throws {
    random = SeededRandom(seed: seed)
    harness = try CacheHarness()
    stack = harness.stack
    let harness = harness
    let scene = scene
    harness.backend.on(AuthEndpoints.LoginWithCode.path) { _ throws(TransportError) in
      let pair = harness.backend.issue()
      scene.state.withLock { $0.users[pair.accessToken] = $0.current }
      return ScriptedBackend.json(pair)
    }
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { request throws(TransportError) in
      let answer = harness.backend.refresh(request)
      let newest = harness.backend.state.withLock { "access-\($0.issued)" }
      scene.state.withLock { $0.users[newest] = $0.current }
      return answer
    }
    harness.backend.on(AccountEndpoints.Me.path) { request throws(TransportError) in
      if scene.state.withLock({ $0.isCut }) { throw .offline(kind: .cannotConnect) }
      let token = String((request.headers[.authorization] ?? "").dropFirst("Bearer ".count))
      let user = scene.state.withLock { $0.users[token] ?? "nobody" }
      await scene.hold()
      let headers: HTTPFields = [.eTag: "\"1\"", .cacheControl: "private, no-cache"]
      if request.headers[.ifNoneMatch] == "\"1\"" { return TransportResponse(status: 304, headers: headers) }
      return ScriptedBackend.json(CacheHarness.me(user), headers: headers)
    }
  }

  /// Runs the schedule and shuts everything down.
  func run() async throws {
    try await logIn()
    for _ in 0..<Int.random(in: 6...13, using: &random) {
      switch Int.random(in: 0..<24, using: &random) {
      case 0..<9: call()
      case 9..<17: release()
      case 17..<19: scene.state.withLock { $0.isCut.toggle() }
      case 19: await logOut()
      case 20..<22: try await logIn()
      case 22: harness.time.advance(by: .seconds(1))
      default: await relaunch()
      }
      for _ in 0..<Int.random(in: 0...12, using: &random) { await Task.yield() }
    }
    try await finish()
  }

  private func call() {
    let api = stack.api
    calls.append(
      (
        launch,
        Task {
          await ClientHarness.result { () throws(NetworkError) in try await api.receive(AccountEndpoints.Me(), body: NoBody()) }
        }
      ))
  }

  private func release() {
    let count = scene.state.withLock { $0.held.count }
    guard count > 0 else { return }
    let place = Int.random(in: 0..<count, using: &random)
    scene.state.withLock { $0.held.remove(at: place) }.resume()
  }

  private func logIn() async throws {
    logins += 1
    let user = "user-\(logins)"
    scene.state.withLock { $0.current = user }
    // After an outage, the client waits before it tries the backend again.
    for _ in 0..<60 {
      do throws(AuthError) {
        try await harness.signIn(stack)
        break
      } catch {
        guard error == .failed(.offline) else { throw error }
        harness.time.advance(by: .seconds(1))
      }
    }
    isSignedIn = true
    users[Session(launch: launch, epoch: await stack.session.machine.epoch)] = user
  }

  private func logOut() async {
    await stack.auth.logout(.user)
    await stack.api.cache.flush()
    isSignedIn = false
    if await !harness.files().isEmpty { leaks.append("files after the logout") }
  }

  private func relaunch() async {
    await stack.shutdown()
    launch += 1
    stack = await harness.relaunched()
    _ = await stack.session.bootstrap()
    if isSignedIn { users[Session(launch: launch, epoch: await stack.session.machine.epoch)] = "user-\(logins)" }
  }

  private func isAnsweredOnceTheNetworkIsBack() async -> Bool {
    scene.state.withLock { $0.isCut = false }
    for _ in 0..<60 {
      if case .success(let receipt) = await harness.me(of: stack) { return receipt.body.userID == "user-\(logins)" }
      // After an outage, the client waits before it tries the backend again.
      harness.time.advance(by: .seconds(1))
    }
    return false
  }

  private func finish() async throws {
    scene.state.withLock { $0.isOver = true }
    for continuation in scene.state.withLock({ state in
      defer { state.held = [] }
      return state.held
    }) { continuation.resume() }
    let harness = harness
    let tasks = calls.map(\.task)
    let pauses = Task {
      while !Task.isCancelled {
        // The calls wait for the disk and the database in real time; without this, they would reach their time limits on a busy
        // machine.
        await harness.disk.flush()
        _ = try? await harness.storage.read { _ in () }
        harness.time.advance(by: .seconds(1))
        await Task.yield()
      }
    }
    for task in tasks { _ = await task.value }
    pauses.cancel()
    for call in calls {
      guard case .success(let receipt) = await call.task.value else { continue }
      let owner = receipt.epoch.flatMap { users[Session(launch: call.launch, epoch: $0)] }
      if owner != receipt.body.userID {
        leaks.append("\(owner ?? "nobody") got what is \(receipt.body.userID)'s from \(receipt.source)")
      }
    }
    if isSignedIn { isAnsweredAtTheEnd = await isAnsweredOnceTheNetworkIsBack() }
    // What is stored now belongs to the last user or to nobody.
    scene.state.withLock { $0.isCut = true }
    if case .success(let receipt) = await harness.me(of: stack), receipt.body.userID != "user-\(logins)" {
      leaks.append("\(receipt.body.userID)'s answer is stored for user-\(logins)")
    }
    await logOut()
    await stack.shutdown()
  }
}
