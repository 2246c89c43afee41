import Client
import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import Observability
import OpenAPI
import Server

/// The routes to a device's fault rules.
enum FaultRoutes {
  private struct ListBody: Codable, SchemaProvider {
    let faults: [FaultBody]
    let armed: Int
    /// The time of the clock that `expires_at` refers to.
    let serverTime: Timestamp

    static var schema: Schema { .recorded(from: Self.self).refined(["armed": .minimum(0)]) }
  }

  private struct PresetsBody: Codable {
    let presets: [FaultPresetBody]
  }

  private struct ArmedBody: Codable {
    let faults: [FaultBody]
  }

  private struct PreviewInput: Decodable {
    let match: FaultMatchBody
  }

  private struct PreviewBody: Codable, SchemaProvider {
    let matched: Int
    let of: Int

    static var schema: Schema { .recorded(from: Self.self).refined(["matched": .minimum(0), "of": .minimum(0)]) }
  }

  /// How many of the latest attempts a preview counts.
  private static let previewed = 500

  private static let full = Problem.invalidRequest("A device has at most \(FaultPlan.limit) rules.")

  static let routes = [
    ConsoleRoute(
      .get, "/api/faults",
      Operation(
        "faults", tag: "faults", "The rules in the order in which they are tried.",
        responses: [.json("In their order.", ListBody.self)]),
      .device { _, device in try list(device) }),
    ConsoleRoute(
      .post, "/api/faults",
      Operation(
        "armFault", tag: "faults",
        "Arms a rule after the others, for 15 minutes unless the body says otherwise; 0 seconds means without an end.",
        request: .json(FaultInput.newRule), responses: [.json("Armed.", FaultBody.self, status: .created)]),
      .device { call, device in try await arm(call, device) }),
    ConsoleRoute(
      .delete, "/api/faults", Operation("disarmFaults", tag: "faults", "Removes every rule.", responses: [.noContent]),
      .device { _, device in
        device.faults.removeAll()
        return .noContent
      }),
    ConsoleRoute(
      .patch, "/api/faults/{id}",
      Operation(
        "changeFault", tag: "faults",
        "Edits, switches, rearms or moves a rule; members that are missing stay. A rule with another action starts anew.",
        request: .json(FaultInput.change), responses: [.json("The rule after the change.", FaultBody.self)]),
      codes: [.notFound], .device { call, device in try await change(call, device) }),
    ConsoleRoute(
      .delete, "/api/faults/{id}", Operation("dropFault", tag: "faults", "Removes a rule.", responses: [.noContent]),
      codes: [.notFound], .device { call, device in try remove(call, device) }),
    ConsoleRoute(
      .get, "/api/faults/presets",
      Operation(
        "faultPresets", tag: "faults", "Rules that belong together.",
        responses: [.json("The faults that phones meet most often first.", PresetsBody.self)]),
      .device { _, _ in try .body(PresetsBody(presets: FaultPreset.all.map { FaultPresetBody($0) })) }),
    ConsoleRoute(
      .post, "/api/faults/presets/{id}",
      Operation(
        "armFaultPreset", tag: "faults", "Arms all rules of a preset, or none.",
        responses: [.json("Armed.", ArmedBody.self, status: .created)]),
      codes: [.invalidRequest, .notFound], .device { call, device in try armPreset(call, device) }),
    ConsoleRoute(
      .post, "/api/faults/preview",
      Operation(
        "previewFault", tag: "faults", "How many of the latest \(previewed) attempts a match would have fitted.",
        request: .json(PreviewInput.self), responses: [.json("Counted.", PreviewBody.self)]),
      .device { call, device in try await preview(call, device) }),
  ]

  /// `GET /api/faults`: the rules in their order.
  private static func list(_ device: Device) throws -> Response {
    try .body(
      ListBody(faults: device.faults.bodies, armed: device.faults.armed, serverTime: Timestamp(device.time.wall())))
  }

  /// `POST /api/faults`: arms a rule after the others.
  private static func arm(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let (rule, lifetime) = try await call.body(FaultInput.self).rule()
    guard let fault = device.faults.arm([(rule, lifetime)])?.first else { throw full }
    return try .body(fault, status: .created)
  }

  /// `POST /api/faults/presets/{id}`: arms all rules of the preset, or none.
  private static func armPreset(_ call: ConsoleCall, _ device: Device) throws -> Response {
    guard let id = call.request.parameters["id"], let preset = FaultPreset.named(id) else { throw Problem.notFound }
    guard let faults = device.faults.arm(preset.parts.map { ($0.rule, $0.lifetime) }) else { throw full }
    return try .body(ArmedBody(faults: faults), status: .created)
  }

  /// `POST /api/faults/preview`: how many of the latest attempts a match would have fitted.
  private static func preview(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let match = try FaultInput.match(try await call.body(PreviewInput.self).match)
    // Answers from the cache never reach the rules.
    let rows = device.log.rows().events.filter { $0.source != .cache }.suffix(previewed)
    let matched = rows.count { match.matches(method: $0.method, endpoint: $0.endpoint, path: $0.path) }
    return try .body(PreviewBody(matched: matched, of: rows.count))
  }

  /// `PATCH /api/faults/{id}`: edits, switches on or off, rearms or moves a rule; members that are missing stay.
  private static func change(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let input = try await call.body(FaultInput.self)
    guard let id = call.request.parameters["id"], let fault = try device.faults.change(id: id, input) else {
      throw Problem.notFound
    }
    return try .body(fault)
  }

  /// `DELETE /api/faults/{id}`.
  private static func remove(_ call: ConsoleCall, _ device: Device) throws -> Response {
    guard let id = call.request.parameters["id"], device.faults.remove(id: id) else { throw Problem.notFound }
    return .noContent
  }
}
