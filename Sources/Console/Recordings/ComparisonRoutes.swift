import HTTPTypes
package import Observability
package import OpenAPI
import Server

/// The route that compares recordings.
enum ComparisonRoutes {
  /// The name that stands for the live log of the device.
  private static let live = "live"

  static let routes = [
    ConsoleRoute(
      .get, "/api/recordings/{id}/compare",
      Operation(
        "compareRecordings", tag: "recordings",
        "Compares a recording with another, or with the log of the device, as `understudy compare` does.",
        parameters: [.query("with", "The id of the other recording, or `\(live)` for the log of the device.", isRequired: true)],
        responses: [.json("What differs.", RecordingComparison.self)]),
      codes: [.invalidRequest, .notFound, .payloadTooLarge, .tooManyAttempts],
      .device { call, device in try await compare(call, device) }),
    ConsoleRoute(
      .get, "/api/recordings/{id}/drift",
      Operation(
        "recordedDrift", tag: "recordings",
        "Compares a recording with the backend's OpenAPI document, as `understudy drift` does.",
        responses: [.json("What differs, and what of the document was seen.", RecordedDriftBody.self)]),
      codes: [.notFound, .payloadTooLarge, .tooManyAttempts],
      .device { call, device in
        let (store, saved) = try await RecordingRoutes.recording(call, device)
        guard let (contract, document) = device.drift.comparison else {
          return try .body(RecordedDriftBody(without: device.drift.status))
        }
        return try .body(
          await device.exports.run {
            var drift = RecordedDrift(contract)
            try await store.eachRow(of: saved) { drift.add($0) }
            return RecordedDriftBody(drift, document)
          })
      }),
  ]
  private static func compare(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    guard let other = call.query("with"), !other.isEmpty else {
      throw Problem.invalidRequest("Specify a recording ID, or `\(live)`.", field: "with")
    }
    let (store, first) = try await RecordingRoutes.recording(call, device)
    guard other != live else {
      guard let savedLog = device.savedLog else { throw Problem.savedLogUnavailable }
      await savedLog.flush()
      let name = device.name
      return try .body(
        await device.exports.run {
          RecordingComparison(try await store.compared(first), try await store.compared(logOf: savedLog.owner, name: name))
        })
    }
    let second = try await call.recordingScope().checked(try await store.recording(other))
    return try .body(
      await device.exports.run { RecordingComparison(try await store.compared(first), try await store.compared(second)) })
  }
}

extension RecordingComparison: SchemaProvider {
  package static var schema: Schema {
    .recorded(from: Self.self).refined([
      "format": .constant("understudy-compare"), "version": .minimum(1), "first.calls": .minimum(0), "second.calls": .minimum(0),
      "first.attempts": .minimum(0), "second.attempts": .minimum(0),
    ])
  }
}
