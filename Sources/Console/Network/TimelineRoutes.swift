import Observability
import Server

/// The route to a device's timeline (contract §2.3).
enum TimelineRoutes {
  private struct ListBody: Encodable {
    let entries: [TimelineEntry]
  }

  /// `GET /api/timeline`: the latest entries, oldest first.
  static func list(_ device: Device) throws -> Response {
    // It hears of the rows that were recorded.
    device.log.flush()
    return try .body(ListBody(entries: device.timeline.entries))
  }
}
