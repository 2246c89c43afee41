import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import Reactor
import Server
import Wire

/// The routes to the embedded backend's inbox and clock; with any other backend they are switched off.
enum BackendRoutes {
  private struct MessageBody: Encodable {
    let id: String
    let to: String
    let kind: String
    let subject: String
    let text: String
    let link: String?
    let code: String?
    let deliveredAt: Timestamp
    let expiresAt: Timestamp
  }

  private struct InboxBody: Encodable {
    let messages: [MessageBody]
    /// What the backend's clock shows, which the messages' expiry is measured by.
    let serverTime: Timestamp
  }

  private struct ClockRequest: Decodable {
    let advanceSeconds: Int?
    let reset: Bool?
  }

  private struct LimitsRequest: Decodable {
    let mode: String?
    let reset: Bool?
  }

  private struct LimitsBody: Encodable {
    let mode: String
  }

  private struct LimitsStateBody: Encodable {
    struct Entry: Encodable {
      let identifier: String
      let sent: Int
      let lastSentAt: Timestamp
      let nextAt: Timestamp
    }

    let mode: String
    let entries: [Entry]
    let serverTime: Timestamp
  }

  private struct ScanBody: Encodable {
    struct Step: Encodable {
      let method: String
      let status: Int?
    }

    let url: String
    let steps: [Step]
    let unchanged: Bool
  }

  private struct ClockBody: Encodable {
    let offsetSeconds: Int
    let now: Timestamp
  }

  /// `GET /api/inbox`: the messages to the identifiers that this browser asked for.
  static func inbox(_ call: ConsoleCall, _ device: Device, _ parts: Application.Parts) async throws -> Response {
    let embedded = try embedded(device)
    var recipients: Set<String>? = try await parts.askedIdentifiers(call, device)
    if call.query("all") == "1" {
      try call.requireOwner()
      recipients = nil
    }
    if let to = call.query("to") {
      let identifier = try Identifier(normalizing: to).text
      recipients = recipients.map { $0.intersection([identifier]) } ?? [identifier]
    }
    let wait = try call.number("wait", in: 0...30) ?? 0
    let (wanted, after) = (recipients, call.query("after"))
    let held = await call.request.cancellingOnDisconnect {
      await device.hold { await embedded.messages(wanted, after, .seconds(wait)) }
    }
    guard let messages = held else {
      throw Problem.tooManyStreams
    }
    for message in messages { device.learn(message) }
    return try .body(
      InboxBody(
        messages: messages.map {
          MessageBody(
            id: $0.id, to: $0.to, kind: $0.kind, subject: $0.subject, text: $0.text, link: $0.link, code: $0.code,
            deliveredAt: Timestamp($0.deliveredAt), expiresAt: Timestamp($0.expiresAt))
        }, serverTime: Timestamp(embedded.now())))
  }

  /// `POST /api/backend/clock`.
  static func clock(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let embedded = try embedded(device)
    try call.requireOwner()
    let body = try await call.body(ClockRequest.self)
    switch (body.advanceSeconds, body.reset) {
    case (let seconds?, nil):
      guard let offset = await embedded.advanceClock(seconds) else {
        throw Problem.invalidRequest("The clock goes forward by 1 second to 400 days.", field: "advance_seconds")
      }
      return try .body(ClockBody(offsetSeconds: offset, now: Timestamp(embedded.now())))
    case (nil, true):
      await embedded.resetClock()
      return try .body(ClockBody(offsetSeconds: 0, now: Timestamp(embedded.now())))
    default: throw Problem.invalidRequest("Either advance_seconds or reset is needed.", field: "advance_seconds")
    }
  }

  /// `POST /api/inbox/{id}/scan`: a mail scanner's visit to the link of a message that this browser asked for.
  ///
  /// The page is asked for by way of the console's own gate and routes, without cookie or key, as anybody's request is.
  static func scan(
    _ call: ConsoleCall, _ device: Device, _ parts: Application.Parts,
    respond: @escaping @Sendable (Request) async -> Response
  ) async throws -> Response {
    let embedded = try embedded(device)
    let asked = try await parts.askedIdentifiers(call, device)
    guard let id = call.request.parameters["id"], await embedded.messages(asked, nil, .zero).contains(where: { $0.id == id })
    else { throw Problem.notFound }
    let peer = call.request.peer
    let scan = await embedded.scan(id) { method, url in
      guard let method = HTTPRequest.Method(method), let start = url.firstRange(of: "://") else { return nil }
      let rest = url[start.upperBound...]
      let authority = rest.prefix { $0 != "/" }
      let request = Request(
        method: method, path: String(rest.dropFirst(authority.count)),
        headers: [FieldNames.host: String(authority), .userAgent: "Mozilla/5.0 (compatible; mail scanner)"], peer: peer,
        isTLS: url.hasPrefix("https:"))
      return await respond(request).status.code
    }
    guard let scan else { throw Problem.notFound }
    let steps = scan.steps.map { ScanBody.Step(method: $0.method, status: $0.status) }
    return try .body(ScanBody(url: scan.url, steps: steps, unchanged: scan.isUnchanged))
  }

  /// `GET /api/backend/limits`: the mode, and what is counted for the identifiers that this browser asked for.
  static func limitsState(_ call: ConsoleCall, _ device: Device, _ parts: Application.Parts) async throws -> Response {
    let embedded = try embedded(device)
    try call.requireOwner()
    guard let limits = await embedded.limits() else { throw Problem.storageFull }
    let asked = try await parts.askedIdentifiers(call, device)
    return try .body(
      LimitsStateBody(
        mode: limits.mode,
        entries: limits.entries.filter { asked.contains($0.identifier) }.map {
          LimitsStateBody.Entry(
            identifier: $0.identifier, sent: $0.sent, lastSentAt: Timestamp($0.lastSentAt), nextAt: Timestamp($0.nextAt))
        }, serverTime: Timestamp(embedded.now())))
  }

  /// `POST /api/backend/limits`: how often the embedded backend sends messages, until it ends or `reset`.
  static func limits(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let embedded = try embedded(device)
    try call.requireOwner()
    let body = try await call.body(LimitsRequest.self)
    switch (body.mode, body.reset) {
    case (let mode?, nil):
      guard let mode = await embedded.setLimits(mode) else {
        throw Problem.invalidRequest("The mode is prod, relaxed or off.", field: "mode")
      }
      return try .body(LimitsBody(mode: mode))
    case (nil, true): return try .body(LimitsBody(mode: await embedded.resetLimits()))
    default: throw Problem.invalidRequest("Either mode or reset is needed.", field: "mode")
    }
  }

  /// `POST /api/backend/reset`: forgets the embedded backend's accounts, sessions and messages.
  static func reset(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let embedded = try embedded(device)
    try call.requireOwner()
    guard await embedded.reset() else { throw Problem.storageFull }
    return .noContent
  }

  private static func embedded(_ device: Device) throws -> EmbeddedBackend {
    guard let embedded = device.backend.embedded else {
      throw Problem(.forbidden, "feature_disabled", "Only the embedded backend has this.")
    }
    return embedded
  }
}

extension Application.Parts {
  /// The identifiers that any device of the caller's browser asked messages for.
  func askedIdentifiers(_ call: ConsoleCall, _ device: Device) async throws -> Set<String> {
    var asked = try await device.ledger.askedIdentifiers()
    guard let browser = call.browser else { return asked }
    for record in try await registry.store.devices(browserID: browser.id) where record.id != device.id {
      asked.formUnion(try await registry.ledger(deviceID: record.id).askedIdentifiers())
    }
    return asked
  }
}
