import Client
import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import Observability
import Server

/// The routes to a device's fault rules (contract §2.5).
enum FaultRoutes {
  private struct ListBody: Encodable {
    let faults: [FaultBody]
    let armed: Int
    /// What the clock shows that `expires_at` counts by.
    let serverTime: Timestamp
  }

  private struct PresetsBody: Encodable {
    let presets: [FaultPresetBody]
  }

  private struct ArmedBody: Encodable {
    let faults: [FaultBody]
  }

  private struct PreviewInput: Decodable {
    let match: FaultMatchBody
  }

  private struct PreviewBody: Encodable {
    let matched: Int
    let of: Int
  }

  /// How many of the latest attempts a preview looks at.
  private static let previewed = 500

  private static let full = Problem.invalidRequest("A device holds \(FaultPlan.limit) rules at most.")

  /// `GET /api/faults`: the rules in their order.
  static func list(_ device: Device) throws -> Response {
    try .body(
      ListBody(faults: device.faults.bodies, armed: device.faults.armed, serverTime: Timestamp(device.time.wall())))
  }

  /// `GET /api/faults/presets`.
  static func presets() throws -> Response { try .body(PresetsBody(presets: FaultPreset.all.map { FaultPresetBody($0) })) }

  /// `POST /api/faults`: arms a rule behind the others.
  static func arm(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let (rule, lifetime) = try await call.body(FaultInput.self).rule()
    guard let fault = device.faults.arm([(rule, lifetime)])?.first else { throw full }
    return try .body(fault, status: .created)
  }

  /// `POST /api/faults/presets/{id}`: arms the preset's rules, all or none.
  static func armPreset(_ call: ConsoleCall, _ device: Device) throws -> Response {
    guard let id = call.request.parameters["id"], let preset = FaultPreset.named(id) else { throw Problem.notFound }
    guard let faults = device.faults.arm(preset.parts.map { ($0.rule, $0.lifetime) }) else { throw full }
    return try .body(ArmedBody(faults: faults), status: .created)
  }

  /// `POST /api/faults/preview`: how many of the latest attempts a match would have fitted.
  static func preview(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let match = try FaultInput.match(try await call.body(PreviewInput.self).match)
    // What the cache answered never came as far as the rules.
    let rows = device.log.rows().events.filter { $0.source != .cache }.suffix(previewed)
    let matched = rows.count { match.matches(method: $0.method, endpoint: $0.endpoint, path: $0.path) }
    return try .body(PreviewBody(matched: matched, of: rows.count))
  }

  /// `PATCH /api/faults/{id}`: edits, switches on or off, arms again or moves a rule; what is left out stays.
  static func change(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let input = try await call.body(FaultInput.self)
    guard let id = call.request.parameters["id"], let fault = try device.faults.change(id: id, input) else {
      throw Problem.notFound
    }
    return try .body(fault)
  }

  /// `DELETE /api/faults/{id}`.
  static func remove(_ call: ConsoleCall, _ device: Device) throws -> Response {
    guard let id = call.request.parameters["id"], device.faults.remove(id: id) else { throw Problem.notFound }
    return .noContent
  }

  /// `DELETE /api/faults`: disarms everything.
  static func clear(_ device: Device) -> Response {
    device.faults.removeAll()
    return .noContent
  }
}
