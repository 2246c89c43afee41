import Client
package import Domain
import HTTPTypes
import JSON
package import OpenAPI
import Server

/// The routes to a device's cues, which work whether or not the backend can be reached.
enum CueRoutes {
  private struct ListBody: Codable, SchemaProvider {
    let cues: [Cue]
    let source: String
    let syncedAt: Timestamp
    /// The active profile; missing until the device has loaded its account.
    let profile: Profile?

    static var schema: Schema { .recorded(from: Self.self).refined(["source": .oneOf(AccountBody.sources)]) }
  }

  private struct ShuffledBody: Codable {
    let cues: [Cue]
  }

  private struct StageBody: Decodable {
    let stage: LearningStage
  }

  static let routes = [
    ConsoleRoute(
      .get, "/api/cues",
      Operation(
        "cues", tag: "cues", "The active profile's cues, as this device has them.",
        parameters: [
          .query(
            "stored", "1 for the stored cues alone; nothing is fetched if there are any.", .string.refined(by: .oneOf(["1"])))
        ],
        responses: [.json("In their order.", ListBody.self)]),
      codes: .session + [.featureDisabled], .device { call, device in try await list(call, device) }),
    ConsoleRoute(
      .post, "/api/cues/shuffle",
      Operation(
        "shuffleCues", tag: "cues", "Reorders the cues at random; needs the backend.",
        responses: [.json("In their new order.", ShuffledBody.self)]),
      codes: .session + [.featureDisabled], .device { _, device in try await shuffle(device) }),
    ConsoleRoute(
      .post, "/api/cues/{cue_id}/stage",
      Operation(
        "moveCue", tag: "cues", "Moves a cue to a stage.",
        request: .json(StageBody.self),
        responses: [
          .json("The backend has it.", Cue.self),
          .json("It is stored here and sent later.", Cue.self, status: .accepted),
        ]),
      codes: .session + [.featureDisabled], .device { call, device in try await move(call, device) }),
  ]

  /// `GET /api/cues`: the stored cues, at once; the result of the fetch that follows arrives as a `cue` event.
  private static func list(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    try device.require(.cues)
    let gateway = CueGateway.backend(device.cues)
    let list = try await call.query("stored") == "1" ? BrowseCues(gateway: gateway).stored() : BrowseCues(gateway: gateway)()
    return try .body(
      ListBody(
        cues: list.cues, source: list.source.rawValue, syncedAt: Timestamp(list.syncedAt), profile: await device.activeProfile()))
  }

  /// `POST /api/cues/shuffle`.
  private static func shuffle(_ device: Device) async throws -> Response {
    try device.require(.cues)
    let list = try await ShuffleCues(gateway: .backend(device.cues))()
    return try .body(ShuffledBody(cues: list.cues))
  }

  /// `POST /api/cues/{cue_id}/stage`: 200 if the backend has it, 202 if it is stored and sent later.
  private static func move(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    try device.require(.cues)
    let stage = try await call.body(StageBody.self).stage
    guard let cueID = call.request.parameters["cue_id"] else { throw Problem.notFound }
    switch try await UpdateCueStage(gateway: .backend(device.cues))(cueID: cueID, rawStage: stage.rawValue) {
    case .reached(let cue): return try .body(cue)
    case .kept(let cue): return try .body(cue, status: .accepted)
    }
  }
}

extension Cue: SchemaProvider {
  package static var schema: Schema { .recorded(from: Self.self).refined(["position": .minimum(0)]).named("Cue") }
}
