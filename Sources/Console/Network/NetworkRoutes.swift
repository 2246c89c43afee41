import HTTPTypes
import Observability
import Server
import Text
import Wire

/// The routes to a device's network log (contract §2.3).
enum NetworkRoutes {
  /// `GET /api/network`, with the filters.
  static func list(_ call: ConsoleCall, _ device: Device) throws -> Response {
    guard let pairs = QueryPairs.parse(call.request.query ?? ""), let filter = NetworkFilter(queryPairs: pairs) else {
      throw Problem.invalidRequest("The filter cannot be read.")
    }
    return .json(noStore: device.log.rows(filter: filter).json)
  }

  /// `GET /api/network/{id}`: one row whole.
  static func detail(_ call: ConsoleCall, _ device: Device) throws -> Response {
    guard let id = call.request.parameters["id"], let detail = device.log.detail(id: id) else { throw Problem.notFound }
    return .json(noStore: detail.json)
  }

  /// The longest text that bodies are searched for, in bytes.
  private static let maximumSearchBytes = 1000

  /// `GET /api/network/search?body=…&after=…`: a part of a search, away from the event loop as it takes a while.
  static func search(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    guard let text = call.query("body"), (1...maximumSearchBytes).contains(text.utf8.count) else {
      throw Problem.invalidRequest("The text to search for is missing or too long.", field: "body")
    }
    guard let filter = NetworkFilter(queryPairs: call.query("after").map { [("after", $0)] } ?? []) else {
      throw Problem.invalidRequest("The parameter after is not a number it may be.", field: "after")
    }
    let log = device.log
    return try .body(await Task.detached { log.search(text: text, after: filter.after ?? 0) }.value)
  }

  private struct PinBody: Decodable {
    let pinned: Bool
  }

  /// `POST /api/network/{id}/pin`: the row as it is now.
  static func pin(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let body = try await call.body(PinBody.self)
    guard let id = call.request.parameters["id"] else { throw Problem.notFound }
    do {
      return try .body(device.log.pin(id: id, isPinned: body.pinned))
    } catch NetworkLog.PinError.unknown {
      throw Problem.notFound
    } catch NetworkLog.PinError.full {
      throw Problem(.conflict, "conflict", "Too many rows are pinned, or too much is in their bodies.")
    }
  }

  /// `DELETE /api/network`.
  static func clear(_ device: Device) -> Response {
    device.log.clear()
    return .noContent
  }
}
