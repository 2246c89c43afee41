import HTTPTypes
import JSON
import OpenAPI
import Server

/// The routes to the embedded backend's clock, limits and data.
enum EmbeddedBackendRoutes {
  private struct ClockRequest: Decodable {
    let advanceSeconds: Int?
    let reset: Bool?
  }

  private struct ClockBody: Codable, SchemaProvider {
    let offsetSeconds: Int
    let now: Timestamp

    static var schema: Schema { .recorded(from: Self.self).refined(["offset_seconds": .minimum(0)]) }
  }

  private struct LimitsRequest: Decodable {
    let mode: String?
    let reset: Bool?
  }

  private struct LimitsBody: Codable, SchemaProvider {
    let mode: String

    static var schema: Schema { .recorded(from: Self.self).refined(["mode": modes]) }
  }

  private struct LimitsStateBody: Codable, SchemaProvider {
    let mode: String
    let entries: [EmbeddedBackend.Limits.Entry]
    let serverTime: Timestamp

    static var schema: Schema { .recorded(from: Self.self).refined(["mode": modes, "entries.sent": .minimum(0)]) }
  }

  private static let modes = Refinement.oneOf(["prod", "relaxed", "off"])

  static func routes(_ dependencies: Application.Dependencies) -> [ConsoleRoute] {
    [
      ConsoleRoute(
        .get, "/api/backend/limits",
        Operation(
          "limits", tag: "backend",
          "How often messages are sent, and the counts for the identifiers that this browser requested messages for.",
          responses: [.json("The mode and the counts.", LimitsStateBody.self)]),
        codes: [.featureDisabled, .notFound],
        .embeddedOwner(dependencies) { call, device, embedded in try await limitsState(call, device, embedded, dependencies) }),
      ConsoleRoute(
        .post, "/api/backend/clock",
        Operation(
          "setClock", tag: "backend", "Advances the backend's clock, or resets it.",
          request: .json(
            .request(ClockRequest.self).refined(["advance_seconds": .range(1...34_560_000), "reset": .constant(true)])),
          responses: [.json("The clock's time.", ClockBody.self)]),
        codes: [.featureDisabled, .notFound],
        .embeddedOwner(dependencies) { call, _, embedded in try await clock(call, embedded, dependencies.registry) }),
      ConsoleRoute(
        .post, "/api/backend/limits",
        Operation(
          "setLimits", tag: "backend", "Sets how often messages are sent.",
          request: .json(.request(LimitsRequest.self).refined(["mode": modes, "reset": .constant(true)])),
          responses: [.json("The mode.", LimitsBody.self)]),
        codes: [.featureDisabled, .notFound],
        .embeddedOwner(dependencies) { call, _, embedded in try await limits(call, embedded) }),
      ConsoleRoute(
        .post, "/api/backend/reset",
        Operation(
          "resetBackend", tag: "backend", "Deletes the backend's accounts, sessions and messages.", responses: [.noContent]),
        codes: [.featureDisabled, .notFound],
        .embeddedOwner(dependencies) { _, _, embedded in
          let wasAhead = embedded.clockAhead() != 0
          guard await embedded.reset() else { throw Problem.storageFull }
          if wasAhead { await noteClock(offset: 0, dependencies.registry) }
          return .noContent
        }),
    ]
  }

  /// `GET /api/backend/limits`: the mode, and the counts for the identifiers that this browser requested messages for.
  private static func limitsState(
    _ call: ConsoleCall, _ device: Device, _ embedded: EmbeddedBackend, _ dependencies: Application.Dependencies
  ) async throws -> Response {
    guard let limits = await embedded.limits() else { throw Problem.storageFull }
    let asked = try await dependencies.askedIdentifiers(call, device)
    return try .body(
      LimitsStateBody(
        mode: limits.mode, entries: limits.entries.filter { asked.contains($0.identifier) }, serverTime: embedded.now()))
  }

  /// `POST /api/backend/clock`.
  private static func clock(
    _ call: ConsoleCall, _ embedded: EmbeddedBackend, _ registry: DeviceRegistry
  ) async throws -> Response {
    let body = try await call.body(ClockRequest.self)
    switch (body.advanceSeconds, body.reset) {
    case (let seconds?, nil):
      guard let offset = await embedded.advanceClock(seconds) else {
        throw Problem.invalidRequest("The clock can be advanced by 1 second to 400 days.", field: "advance_seconds")
      }
      await noteClock(offset: offset, registry)
      return try .body(ClockBody(offsetSeconds: offset, now: embedded.now()))
    case (nil, true):
      await embedded.resetClock()
      guard embedded.clockAhead() == 0 else { throw Problem.storageFull }
      await noteClock(offset: 0, registry)
      return try .body(ClockBody(offsetSeconds: 0, now: embedded.now()))
    default: throw Problem.invalidRequest("Send either advance_seconds or reset.", field: "advance_seconds")
    }
  }

  /// Records in the timeline of every awake device that the backend's clock was moved, and notifies the pages: the clock moves
  /// for all of them.
  private static func noteClock(offset: Int, _ registry: DeviceRegistry) async {
    for device in await registry.awakeDevices() {
      device.timeline.noteClock(offset: offset)
      await device.publishState()
    }
  }

  /// `POST /api/backend/limits`: how often messages are sent until the backend stops or is reset.
  private static func limits(_ call: ConsoleCall, _ embedded: EmbeddedBackend) async throws -> Response {
    let body = try await call.body(LimitsRequest.self)
    switch (body.mode, body.reset) {
    case (let mode?, nil):
      guard let mode = await embedded.setLimits(mode) else { throw Problem.storageFull }
      return try .body(LimitsBody(mode: mode))
    case (nil, true): return try .body(LimitsBody(mode: await embedded.resetLimits()))
    default: throw Problem.invalidRequest("Send either mode or reset.", field: "mode")
    }
  }
}

extension ConsoleRoute.Handler {
  /// Serves a device with the embedded backend; with any other backend the route is disabled.
  static func embedded(
    _ dependencies: Application.Dependencies,
    _ handler: @escaping @Sendable (ConsoleCall, Device, EmbeddedBackend) async throws -> Response
  ) -> ConsoleRoute.Handler {
    guard let embedded = dependencies.backend.embedded else { return notEmbedded }
    return .device { call, device in try await handler(call, device, embedded) }
  }

  /// The same for the console's owner.
  static func embeddedOwner(
    _ dependencies: Application.Dependencies,
    _ handler: @escaping @Sendable (ConsoleCall, Device, EmbeddedBackend) async throws -> Response
  ) -> ConsoleRoute.Handler {
    guard let embedded = dependencies.backend.embedded else { return notEmbedded }
    return .owner { call, device in try await handler(call, device, embedded) }
  }

  private static var notEmbedded: ConsoleRoute.Handler {
    .device { _, _ in throw Problem(.featureDisabled, "Only the embedded backend supports this.") }
  }
}
