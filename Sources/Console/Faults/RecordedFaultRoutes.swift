import Client
import HTTPTypes
import JSON
import OpenAPI

/// The routes to the fault rules of a recording, by which people share rules: a caller who can read the recording can arm them.
enum RecordedFaultRoutes {
  private struct FaultsBody: Codable, SchemaProvider {
    let faults: [FaultBody]
    static var schema: Schema { .recorded(from: Self.self) }
  }

  static let routes = [
    ConsoleRoute(
      .get, "/api/recordings/{id}/faults",
      Operation(
        "recordedFaults", tag: "recordings", "The fault rules that were there when a recording was made.",
        responses: [.json("In their order.", FaultsBody.self)]),
      codes: [.notFound],
      .device { call, device in
        let faults = try await recorded(call, device)
        return try .body(FaultsBody(faults: (try? JSONCoding.decode([FaultBody].self, from: faults, keys: .snakeCase)) ?? []))
      }),
    ConsoleRoute(
      .post, "/api/recordings/{id}/faults",
      Operation(
        "armRecordedFaults", tag: "recordings", "Arms the fault rules of a recording on this device, after its own; all or none.",
        responses: [.json("Armed.", FaultRoutes.ArmedBody.self, status: .created)]),
      codes: [.notFound, .maskNotHeld], .saving(arm)),
  ]

  private static let recordedRules = RequestSchema { .array(FaultRule.request) }

  /// The rules as a JSON array.
  private static func recorded(_ call: ConsoleCall, _ device: Device) async throws -> [UInt8] {
    let (store, saved) = try await RecordingRoutes.recording(call, device)
    return try await store.surroundings(of: saved).faults
  }

  /// `POST /api/recordings/{id}/faults`: arms each rule as a new rule, with the default lifetime.
  @Sendable private static func arm(_ call: ConsoleCall, _ device: Device) async throws -> FaultUpdate {
    let rules = try ConsoleCall.decode([FaultRule].self, from: try await recorded(call, device), recordedRules)
      .map { try $0.completed(secrets: device.secrets) }
    guard !rules.isEmpty else { throw Problem.notFound }
    return { try .body(FaultRoutes.ArmedBody(faults: try FaultRoutes.arm(rules, device)), status: .created) }
  }
}
