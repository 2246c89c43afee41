import Client
import Explain
import HTTPTypes
import Observability
import OpenAPI
import Redaction
import Server

/// The routes that explain why an app was signed out.
enum ExplainRoutes {
  /// The most rows of a log that are explained.
  private static let rowLimit = 100_000

  private static let answer = Operation.Response.content(
    "As `understudy explain --format json` prints it; rows are the `seq` of the log's rows.", "application/json",
    Explanation.schema)

  static let routes = [
    ConsoleRoute(
      .get, "/api/explain",
      Operation(
        "explain", tag: "network",
        "Why the app was signed out, as far as the log shows it, and which of its promises the client kept.", responses: [answer]),
      codes: [.payloadTooLarge, .tooManyAttempts], .device { _, device in try await explain(device) }),
    ConsoleRoute(
      .get, "/api/recordings/{id}/explain",
      Operation(
        "explainRecording", tag: "recordings", "Why the app was signed out, as far as the recording shows it.",
        responses: [answer]),
      codes: [.notFound, .payloadTooLarge, .tooManyAttempts],
      .device { call, device in
        let (store, saved) = try await RecordingRoutes.recording(call, device)
        return try await explain(device, isOfClient: false) { take in try await store.eachRow(of: saved, limit: rowLimit, take) }
      }),
  ]

  /// Explains the log; rows evicted from memory are read from the disk.
  private static func explain(_ device: Device) async throws -> Response {
    guard let savedLog = device.savedLog else {
      let log = device.log
      return try await explain(device, isOfClient: true) { take in ExportSelection(of: log).rows.forEach(take) }
    }
    await savedLog.flush()
    return try await explain(device, isOfClient: true) { take in
      try await RecordingStore(store: savedLog.store).eachRow(ofLog: savedLog.owner, limit: rowLimit, take)
    }
  }

  /// Explains the rows that `read` passes on; `isOfClient` is whether they are the device's own, whose promises are judged.
  private static func explain(
    _ device: Device, isOfClient: Bool, _ read: @escaping @Sendable ((NetworkRowDetail) -> Void) async throws -> Void
  ) async throws -> Response {
    let redactor = Redactor(registry: device.secrets)
    let retries = isOfClient ? RetryPromise(device.client.backoff) : nil
    return try .body(
      await device.explanations.run {
        var explainer = Explainer()
        try await read { row in
          if let exchange = Exchange(row) { explainer.add(exchange) }
        }
        return explainer.explanation(judging: retries).masked(by: redactor)
      })
  }
}

extension RetryPromise {
  /// The promises of a client with these pauses.
  init(_ backoff: Backoff) { self.init(firstPause: Int64(backoff.first / .milliseconds(1))) }
}

extension Explanation {
  /// Recorded from an example because findings encode themselves by hand.
  fileprivate static var schema: Schema {
    .recorded(fromExamples: examples).refined([
      "findings[].rows[]": .minimum(1), "findings[].sentence": .oneOf(Sentence.Variant.allCases.map(\.rawValue)),
      "families[].first_row": .minimum(1), "families[].uses[].row": .minimum(1), "evidence[].row": .minimum(1),
      "evidence[].status": .minimum(100), "lacks[].sentence": .oneOf(Sentence.Variant.allCases.map(\.rawValue)),
      "promises[].rows[]": .minimum(1), "promises[].sentence": .oneOf(Sentence.Variant.allCases.map(\.rawValue)),
      // Each value is an object with one of row, rows, count, text, time, date, span_ms, status and token.
    ]).replacing([
      "findings[].values": .anyObject, "lacks[].values": .anyObject, "promises[].values": .anyObject,
      "promises[].promised": .anyObject, "promises[].measured": .anyObject,
    ]).named("Explanation")
  }
}
