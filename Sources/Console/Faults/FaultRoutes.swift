import Client
import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import Observability
import OpenAPI
import Server
import Redaction

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
    let presets: [FaultPreset]
  }

  /// The rules that a call has armed or changed, in their order.
  struct ArmedBody: Codable {
    let faults: [FaultBody]
  }

  private struct SwitchInput: Decodable {
    let armed: Bool
  }

  private struct PreviewInput: Decodable {
    let match: FaultRule.Match
  }

  private struct PreviewBody: Codable, SchemaProvider {
    let matched: Int
    let of: Int

    static var schema: Schema { .recorded(from: Self.self).refined(["matched": .minimum(0), "of": .minimum(0)]) }
  }

  /// How many of the latest attempts a preview counts.
  private static let previewed = 500

  /// The problem of a change that would exceed a limit of the plan.
  private static func problem(_ limit: FaultPlan.Limit) -> Problem {
    switch limit {
    case .rules: .invalidRequest("A device has at most \(FaultPlan.limit) rules.")
    case .texts:
      .invalidRequest("The texts of a device's rules have at most \(FaultPlan.textLimit >> 20) MiB.", field: "action.body")
    }
  }

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
        request: .json(FaultRule.request), responses: [.json("Armed.", FaultBody.self, status: .created)]),
      codes: [.maskNotHeld], .saving(arm)),
    ConsoleRoute(
      .delete, "/api/faults", Operation("disarmFaults", tag: "faults", "Removes every rule.", responses: [.noContent]),
      .saving { _, device in
        {
          device.faults.removeAll()
          return .noContent
        }
      }),
    ConsoleRoute(
      .patch, "/api/faults/{id}",
      Operation(
        "changeFault", tag: "faults",
        "Edits, switches, rearms or moves a rule; members that are missing stay. A rule with another action starts anew.",
        request: .json(FaultRule.change), responses: [.json("The rule after the change.", FaultBody.self)]),
      codes: [.notFound, .maskNotHeld], .saving(change)),
    ConsoleRoute(
      .delete, "/api/faults/{id}", Operation("dropFault", tag: "faults", "Removes a rule.", responses: [.noContent]),
      codes: [.notFound], .saving(remove)),
    ConsoleRoute(
      .get, "/api/faults/presets",
      Operation(
        "faultPresets", tag: "faults", "Rules that belong together.",
        responses: [.json("The faults that phones meet most often first.", PresetsBody.self)]),
      .device { _, device in try .body(PresetsBody(presets: FaultPreset.all.filter { $0.canAct(at: device.client.offer) })) }),
    ConsoleRoute(
      .post, "/api/faults/presets/{id}",
      Operation(
        "armFaultPreset", tag: "faults", "Arms all rules of a preset, or none.",
        responses: [.json("Armed.", ArmedBody.self, status: .created)]),
      codes: [.invalidRequest, .notFound, .featureDisabled], .saving(armPreset)),
    ConsoleRoute(
      .patch, "/api/faults/presets/{id}",
      Operation(
        "switchFaultPreset", tag: "faults", "Switches the rules of a preset on or off together.",
        request: .json(.request(SwitchInput.self)), responses: [.json("The rules after the change.", ArmedBody.self)]),
      codes: [.notFound], .saving(switchPreset)),
    ConsoleRoute(
      .delete, "/api/faults/presets/{id}",
      Operation(
        "dropFaultPreset", tag: "faults", "Removes the rules of a preset together.", responses: [.noContent]),
      codes: [.notFound],
      .saving { call, device in
        {
          guard let id = call.request.parameters["id"], device.faults.remove(preset: id) else { throw Problem.notFound }
          return .noContent
        }
      }),
    ConsoleRoute(
      .post, "/api/faults/preview",
      Operation(
        "previewFault", tag: "faults", "How many of the latest \(previewed) attempts a match would have fitted.",
        request: .json(PreviewInput.self), responses: [.json("Counted.", PreviewBody.self)]),
      codes: [.maskNotHeld], .device { call, device in try await preview(call, device) }),
  ]

  /// `GET /api/faults`: the rules in their order.
  private static func list(_ device: Device) throws -> Response {
    try .body(
      ListBody(faults: device.faults.bodies, armed: device.faults.armed, serverTime: Timestamp(device.time.wall())))
  }

  /// `POST /api/faults`: arms a rule after the others.
  @Sendable private static func arm(_ call: ConsoleCall, _ device: Device) async throws -> FaultUpdate {
    let rule = try await call.body(FaultRule.self).completed(secrets: device.secrets)
    return { try .body(try arm([rule], device).first, status: .created) }
  }

  /// Arms rules after the others, all or none; throws `invalid_request` if there would be too many.
  static func arm(_ rules: [FaultRule], _ device: Device) throws(Problem) -> [FaultBody] {
    do throws(FaultPlan.Limit) {
      return try device.faults.arm(rules)
    } catch {
      throw problem(error)
    }
  }

  /// `POST /api/faults/presets/{id}`: arms all rules of the preset, or none.
  @Sendable private static func armPreset(_ call: ConsoleCall, _ device: Device) throws -> FaultUpdate {
    guard let id = call.request.parameters["id"], let preset = FaultPreset.named(id) else { throw Problem.notFound }
    guard preset.canAct(at: device.client.offer) else { throw Problem.featureDisabled }
    return { try .body(ArmedBody(faults: try arm(preset.rules, device)), status: .created) }
  }

  /// `PATCH /api/faults/presets/{id}`: switches the rules of the preset on or off.
  @Sendable private static func switchPreset(_ call: ConsoleCall, _ device: Device) async throws -> FaultUpdate {
    let input = try await call.body(SwitchInput.self)
    return {
      guard let id = call.request.parameters["id"], let faults = device.faults.change(preset: id, isArmed: input.armed) else {
        throw Problem.notFound
      }
      return try .body(ArmedBody(faults: faults))
    }
  }

  /// `POST /api/faults/preview`: how many of the latest attempts a match would have fitted.
  private static func preview(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let match = try await call.body(PreviewInput.self).match.completed(MaskFilling(device.secrets))
    // Answers from the cache never reach the rules.
    let rows = device.log.rows().events.filter { $0.source != .cache }.suffix(previewed)
    let matched = rows.count { row in
      // Only the whole row has the query and the body.
      let detail = match.ignoresQueryAndBody ? nil : device.log.detail(id: row.id)
      let attempt = FaultAttempt(
        method: row.method, endpoint: row.endpoint, path: row.path, query: detail?.query,
        body: detail?.request.body.map { Array($0.utf8) }, isAuthorized: false)
      return match.matches(attempt, isMasked: true)
    }
    return try .body(PreviewBody(matched: matched, of: rows.count))
  }

  /// `PATCH /api/faults/{id}`: edits, switches on or off, rearms or moves a rule; members that are missing stay.
  @Sendable private static func change(_ call: ConsoleCall, _ device: Device) async throws -> FaultUpdate {
    let change = try await call.body(FaultChange.self)
    guard let id = call.request.parameters["id"] else { throw Problem.notFound }
    return {
      do {
        guard let fault = try device.faults.change(id: id, change, secrets: device.secrets) else { throw Problem.notFound }
        return try .body(fault)
      } catch let limit as FaultPlan.Limit {
        throw problem(limit)
      }
    }
  }

  /// `DELETE /api/faults/{id}`.
  @Sendable private static func remove(_ call: ConsoleCall, _ device: Device) throws -> FaultUpdate {
    {
      guard let id = call.request.parameters["id"], device.faults.remove(id: id) else { throw Problem.notFound }
      return .noContent
    }
  }
}

/// Changes the fault rules and responds, once everything that the change needs was read.
typealias FaultUpdate = @Sendable () throws -> Response

extension ConsoleRoute.Handler {
  /// A device's call whose response waits until the fault rules are saved, so that a caller finds the rule after a kill and on
  /// another console. If saving fails, the change is rolled back and the response is 503.
  static func saving(
    _ handler: @escaping @Sendable (ConsoleCall, Device) async throws -> FaultUpdate
  ) -> ConsoleRoute.Handler {
    .device { call, device in
      let answer = try await handler(call, device)
      guard let response = try await device.faults.change(savedBy: device.savedLog, answer) else {
        throw Problem(.unavailable, "The rules cannot be saved now; nothing was changed.", retryAfterSeconds: 5)
      }
      return response
    }
  }
}
