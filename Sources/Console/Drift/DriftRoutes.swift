import HTTPTypes
import Observability
import OpenAPI
import Server

/// The route to the differences between a device's exchanges and the API description.
enum DriftRoutes {
  static let routes = [
    ConsoleRoute(
      .get, "/api/drift",
      Operation(
        "drift", tag: "network",
        "The differences between the device's exchanges and the backend's OpenAPI document, by endpoint, since the log was cleared.",
        responses: [.json("By endpoint, and the document or why there is none.", DriftBody.self)]),
      .device { _, device in
        device.log.flush()
        let drift = device.drift
        return try .body(DriftBody(drift, device.log.driftSummary, drift.comparer.counts))
      })
  ]
}
