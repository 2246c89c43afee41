import HTTPTypes
import Observability
import Server
import Wire

/// The routes to a device's network log (contract §2.3).
enum NetworkRoutes {
  /// `GET /api/network`, with the filters.
  static func list(_ call: ConsoleCall, _ device: Device) throws -> Response {
    guard let pairs = QueryPairs.parse(call.request.query ?? ""), let filter = NetworkFilter(queryPairs: pairs) else {
      throw Problem.invalidRequest("The filter cannot be read.")
    }
    return try .body(device.log.rows(filter: filter))
  }

  /// `GET /api/network/{id}`: one row whole.
  static func detail(_ call: ConsoleCall, _ device: Device) throws -> Response {
    guard let id = call.request.parameters["id"], let detail = device.log.detail(id: id) else { throw Problem.notFound }
    return try .body(detail)
  }

  /// `DELETE /api/network`.
  static func clear(_ device: Device) -> Response {
    device.log.clear()
    return .noContent
  }
}
