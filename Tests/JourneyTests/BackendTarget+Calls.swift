import Foundation
import JSON
import Testing

extension BackendTarget {
  /// Calls a developer route, which must succeed.
  @discardableResult
  func develop(_ method: String, _ target: String, _ body: String? = nil) async throws -> JSONNode {
    let reply = try await send(method, target, body, device: nil, token: Self.developersToken)
    try #require(reply.status == 200, "\(method) \(target): \(reply.status) \(reply.text)")
    return try #require(reply.json)
  }

  /// Advances the backend's clock.
  func advance(_ seconds: Int) async throws { try await develop("POST", "/dev/clock", "{\"advance_seconds\":\(seconds)}") }

  /// Sets the rate limits and resets their counters.
  func limits(_ mode: String) async throws {
    try await develop("POST", "/dev/limits", "{\"reset\":true}")
    try await develop("POST", "/dev/limits", "{\"mode\":\"\(mode)\"}")
  }

  /// The messages to an identifier; waits for one if there is none.
  func mail(to identifier: String, after: String? = nil, wait: Int = 10) async throws -> [BackendMail] {
    let to = identifier.replacingOccurrences(of: "+", with: "%2B")
    let query = "to=\(to)&wait=\(wait)" + (after.map { "&after=\($0)" } ?? "")
    return try await develop("GET", "/dev/inbox?\(query)")["messages"]?.elements.map { BackendMail($0) } ?? []
  }

  /// Requests a message and returns it.
  func ask(_ identifier: String, link: Bool = true, state: String? = nil, device: String = "device-one") async throws
    -> BackendMail
  {
    let earlier = try await mail(to: identifier, wait: 0).last?.id
    let asked = try await send("POST", Self.path(link: link), Self.body(identifier, state: state), device: device)
    try #require(asked.status == 200, "\(asked.text)")
    return try #require(try await mail(to: identifier, after: earlier).last)
  }

  /// The path to request a message.
  static func path(link: Bool) -> String { link ? "/rpc/request_magic_link" : "/rpc/request_login_code" }

  /// The body to request a message.
  static func body(_ identifier: String, state: String? = nil) -> String {
    "{\"identifier\":\"\(identifier)\"\(state.map { ",\"state\":\"\($0)\"" } ?? "")}"
  }

  /// Redeems a link's token.
  func redeem(link token: String, state: String? = nil, device: String = "device-one") async throws -> BackendReply {
    let state = state.map { ",\"state\":\"\($0)\"" } ?? ""
    return try await send("POST", "/rpc/login_with_magic_token", "{\"token\":\"\(token)\"\(state)}", device: device)
  }

  /// Redeems a code.
  func redeem(code: String, of identifier: String, device: String = "device-one") async throws -> BackendReply {
    try await send("POST", "/rpc/login_with_code", "{\"identifier\":\"\(identifier)\",\"code\":\"\(code)\"}", device: device)
  }

  /// A login by link.
  func signIn(_ identifier: String, device: String = "device-one") async throws -> BackendTokens {
    let mail = try await ask(identifier, device: device)
    return try #require(BackendTokens(try await redeem(link: mail.token, device: device)))
  }

  /// Sends a refresh token.
  func refresh(_ token: String, device: String = "device-one") async throws -> BackendReply {
    try await send("POST", "/rpc/refresh_tokens", "{\"refresh_token\":\"\(token)\"}", device: device)
  }

  /// A refresh that must succeed.
  func rotate(_ token: String, device: String = "device-one") async throws -> BackendTokens {
    try #require(BackendTokens(try await refresh(token, device: device)))
  }

  /// `/rpc/me`.
  func me(_ access: String?, device: String = "device-one") async throws -> BackendReply {
    try await send("GET", "/rpc/me", device: device, token: access)
  }

  /// A signed-in POST.
  func post(_ path: String, _ body: String, _ tokens: BackendTokens, device: String = "device-one", key: String? = nil)
    async throws -> BackendReply
  {
    try await send("POST", path, body, device: device, token: tokens.access, fields: key.map { ["Idempotency-Key: \($0)"] } ?? [])
  }

  /// The cues of the tokens' profile.
  func cues(_ tokens: BackendTokens) async throws -> BackendReply {
    try await send("GET", "/rpc/get_cues?profile_id=\(tokens.profileID)", token: tokens.access)
  }
}
