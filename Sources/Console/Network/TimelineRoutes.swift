import HTTPTypes
import Observability
import OpenAPI

/// The route to a device's timeline.
enum TimelineRoutes {
  private struct ListBody: Codable {
    let entries: [TimelineEntry]
  }

  static let routes = [
    ConsoleRoute(
      .get, "/api/timeline",
      Operation(
        "timeline", tag: "network", "Session transitions, analytics events and faults, with the rows that caused them.",
        responses: [.json("Oldest first.", ListBody.self)]),
      .device { _, device in
        // Rows that are still waiting to be recorded can add entries.
        device.log.flush()
        return try .body(ListBody(entries: device.timeline.entries))
      })
  ]
}
