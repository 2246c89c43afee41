import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import OpenAPI
import Server
import Wire

/// The routes to the embedded backend's inbox.
enum InboxRoutes {
  private struct InboxBody: Codable {
    let messages: [EmbeddedBackend.Message]
    /// The time of the backend's clock, which the messages' expiry refers to.
    let serverTime: Timestamp
  }

  static func routes(_ dependencies: Application.Dependencies) -> [ConsoleRoute] {
    [
      ConsoleRoute(
        .get, "/api/inbox",
        Operation(
          "inbox", tag: "backend", "The messages to the identifiers that this browser requested messages for.",
          parameters: [
            .query("to", "Only messages to this identifier."), .query("after", "Only messages after the one with this id."),
            .query("wait", "Seconds to wait for a message.", .integer.refined(by: .range(0...30))),
            .query("all", "All messages; only for the console's owner on this machine.", .string.refined(by: .oneOf(["1"]))),
          ], responses: [.json("Oldest first.", InboxBody.self)]),
        codes: [.featureDisabled, .notFound, .invalidRequest, .invalidIdentifier, .tooManyStreams],
        .embedded(dependencies) { call, device, embedded in try await inbox(call, device, embedded, dependencies) }),
      ConsoleRoute(
        .post, "/api/inbox/{id}/scan",
        Operation(
          "scanMessage", tag: "backend", "Opens the link of a message as a mail scanner does.",
          responses: [
            .json("The requests and their statuses, and whether the link still works as before.", EmbeddedBackend.Scan.self)
          ]),
        codes: [.featureDisabled, .notFound],
        .embedded(dependencies) { call, device, embedded in try await scan(call, device, embedded, dependencies) }),
    ]
  }

  /// `GET /api/inbox`: the messages to the identifiers that this browser requested messages for.
  private static func inbox(
    _ call: ConsoleCall, _ device: Device, _ embedded: EmbeddedBackend, _ dependencies: Application.Dependencies
  ) async throws -> Response {
    var recipients: Set<String>? = try await dependencies.askedIdentifiers(call, device)
    if call.query("all") == "1" {
      try call.requireOwner()
      recipients = nil
    }
    if let to = call.query("to") {
      let identifier = try Identifier(normalizing: to).text
      recipients = recipients.map { $0.intersection([identifier]) } ?? [identifier]
    }
    let wait = try call.number("wait", in: 0...30) ?? 0
    let wanted = recipients
    let after = call.query("after")
    let found = await call.request.cancellingOnDisconnect {
      try? await device.longPolls.run { await embedded.messages(wanted, after, .seconds(wait)) }
    }
    guard let messages = found else { throw Problem.tooManyStreams }
    for message in messages { device.learn(message) }
    return try .body(InboxBody(messages: messages, serverTime: embedded.now()))
  }

  /// `POST /api/inbox/{id}/scan`: opens the link of a message that this browser requested, as a mail scanner does.
  ///
  /// The page is requested through the console's own gate and routes, without cookie or key.
  private static func scan(
    _ call: ConsoleCall, _ device: Device, _ embedded: EmbeddedBackend, _ dependencies: Application.Dependencies
  ) async throws -> Response {
    let asked = try await dependencies.askedIdentifiers(call, device)
    guard let id = call.request.parameters["id"], await embedded.messages(asked, nil, .zero).contains(where: { $0.id == id })
    else { throw Problem.notFound }
    let peer = call.request.peer
    let scan = await embedded.scan(id) { method, url in
      guard let method = HTTPRequest.Method(method), let start = url.firstRange(of: "://") else { return nil }
      let rest = url[start.upperBound...]
      let authority = rest.prefix { $0 != "/" }
      let request = Request(
        method: method, path: String(rest.dropFirst(authority.count)),
        headers: [.host: String(authority), .userAgent: "Mozilla/5.0 (compatible; mail scanner)"], peer: peer,
        isTLS: url.hasPrefix("https:"))
      return await call.respond(request).status.code
    }
    guard let scan else { throw Problem.notFound }
    return try .body(scan)
  }
}

extension Application.Dependencies {
  /// The identifiers that any device of the caller's browser requested messages for.
  func askedIdentifiers(_ call: ConsoleCall, _ device: Device) async throws -> Set<String> {
    var asked = try await device.signInRequests.askedIdentifiers()
    guard let browser = call.browser else { return asked }
    for record in try await registry.store.devices(browserID: browser.id) where record.id != device.id {
      asked.formUnion(try await registry.signInRequests(deviceID: record.id).askedIdentifiers())
    }
    return asked
  }
}
