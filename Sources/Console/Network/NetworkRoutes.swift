import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import Observability
import OpenAPI
import Server
import Text

/// The routes to a device's network log.
enum NetworkRoutes {
  /// The parameters by which rows are filtered.
  static let filters: [Parameter] = [
    .query("method", "The method."), .query("status", "A status such as 503, a class such as 4xx, or err."),
    .query("endpoint", "The endpoint's name."),
    .query(
      "drift", "Rows that differ from the API description: any, or missing if one side lacks something.",
      .string.refined(by: .oneOf(["any", "missing"]))),
    .query(
      "source", "Rows of a source; tool for the console's own requests to the backend, which are listed only then.",
      .string.refined(by: .oneOf(NetworkRow.Source.allCases.map(\.rawValue)))),
    .query(
      "q",
      "Text in method, path, query, host, endpoint, flow, status or error; drift:any, drift:missing and source:tool are filters."),
    .query("after", "Rows with a greater seq.", .integer.refined(by: .minimum(0))),
    .query("before", "The newest saved rows with a smaller seq, at most 1,000.", .integer.refined(by: .minimum(0))),
    .query("limit", "The greatest number of rows.", .integer.refined(by: .range(1...10_000))),
  ]

  static let routes = [
    ConsoleRoute(
      .get, "/api/network",
      Operation(
        "networkRows", tag: "network", "The rows of the log.", parameters: filters,
        responses: [.json("Oldest first.", NetworkPage.self)]),
      codes: [.invalidRequest], .device { call, device in try await list(call, device) }),
    ConsoleRoute(
      .get, "/api/network/search",
      Operation(
        "searchNetworkBodies", tag: "network",
        "The rows with a text in a body, or with a header. One answer covers a part of the log; repeat until it is done.",
        parameters: [
          .query("body", "The text; the case of ASCII letters is ignored."),
          .query(
            "header",
            """
            In place of body: a part of a header's name, or a whole name and a part of its value, such as content-type=json; =json \
            is the value of any header.
            """),
          .query(
            "source", "Searches the console's own requests to the backend instead.", .string.refined(by: .oneOf(["tool"]))),
          .query("after", "Rows with a greater seq.", .integer.refined(by: .minimum(0))),
        ], responses: [.json("The seq of each, oldest first.", NetworkSearchPage.self)]),
      codes: [.invalidRequest], .device { call, device in try await search(call, device) }),
    ConsoleRoute(
      .post, "/api/network/{id}/pin",
      Operation(
        "pinNetworkRow", tag: "network", "Pins a row, so that it is not removed when the log is full, or unpins it.",
        request: .json(PinBody.self), responses: [.json("The row.", NetworkRow.self)]),
      codes: [.notFound, .conflict], .device { call, device in try await pin(call, device) }),
    ConsoleRoute(
      .get, "/api/network/{id}",
      Operation(
        "networkRow", tag: "network", "One row with its messages.",
        responses: [.content("Redacted.", "application/json", NetworkRowDetail.schema)]),
      codes: [.notFound], .device { call, device in try await detail(call, device) }),
    ConsoleRoute(
      .delete, "/api/network",
      Operation(
        "clearNetwork", tag: "network", "Clears the log.",
        responses: [.json("Cleared; until then it can be brought back.", ClearedAnswer.self)]),
      .device { _, device in try await clear(device) }),
    ConsoleRoute(
      .post, "/api/network/undo",
      Operation(
        "restoreNetwork", tag: "network", "Brings back what was cleared last.", responses: [.noContent]),
      codes: [.notFound],
      .device { _, device in
        guard device.log.restoreCleared() else { throw Problem.notFound }
        try await device.savedLog?.restoreCleared()
        return .noContent
      }),
  ]

  /// How long a cleared log can be restored.
  private static let undoPeriod = Duration.seconds(10)

  /// The response to `DELETE /api/network`.
  struct ClearedAnswer: Codable, SchemaProvider {
    let undoUntil: Timestamp

    private enum CodingKeys: String, CodingKey {
      case undoUntil = "undo_until"
    }

    static var schema: Schema { .recorded(from: Self.self) }
  }

  /// `DELETE /api/network`: the cleared rows can be restored for a while.
  private static func clear(_ device: Device) async throws -> Response {
    let time = device.time
    let log = device.log
    let savedLog = device.savedLog
    let clearing = log.clear()
    do { try await savedLog?.clear(clearing) } catch {
      _ = log.restoreCleared()
      throw error
    }
    let end = time.monotonic() + undoPeriod
    Task {
      try? await time.sleep(end)
      if log.forgetCleared(clearing) { await savedLog?.removeCleared(clearing) }
    }
    return try .body(ClearedAnswer(undoUntil: Timestamp(time.wall().addingTimeInterval(Double(undoPeriod.components.seconds)))))
  }

  /// The maximum number of saved rows in a response.
  private static let olderLimit = 1000

  /// `GET /api/network`, with the filters; `before` reads saved rows.
  private static func list(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let filter = try call.networkFilter()
    // The console's own requests are in no device's log.
    if filter.source == .tool, let log = device.drift.toolLog { return .json(noStore: log.json(filter: filter)) }
    if let before = filter.before, let savedLog = device.savedLog {
      let limit = min(filter.limit ?? olderLimit, olderLimit)
      let (rows, older) = try await savedLog.rows(before: before, matching: filter, limit: limit)
      let page = NetworkPage(events: rows, next: before, dropped: 0, capacity: device.log.occupancy.capacity, older: older)
      return .json(noStore: page.json)
    }
    return .json(noStore: device.log.json(filter: filter))
  }

  /// `GET /api/network/{id}`: one row with its messages.
  private static func detail(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    .json(noStore: try await attempt(call, device).json)
  }

  /// The attempt that a request names; throws `Problem.notFound`.
  static func attempt(_ call: ConsoleCall, _ device: Device) async throws -> NetworkRowDetail {
    guard let id = call.request.parameters["id"] else { throw Problem.notFound }
    if let own = device.drift.toolLog?.detail(id: id) { return own }
    let detail = device.log.detail(id: id)
    // It may be older than the memory, or its bodies were evicted there.
    if detail?.lacksBody ?? true, let saved = try await device.savedLog?.attempt(id: id) { return saved }
    guard let detail else { throw Problem.notFound }
    return detail
  }

  /// The longest text that bodies are searched for, in bytes.
  private static let maximumSearchBytes = 1000

  /// `GET /api/network/search?body=…&after=…` or `?header=…&after=…`: a part of a search, which takes too long for the event loop.
  private static func search(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let header = call.query("header")
    guard let text = header ?? call.query("body"), (1...maximumSearchBytes).contains(text.utf8.count) else {
      throw Problem.invalidRequest("The text to search for is missing or too long.", field: header == nil ? "body" : "header")
    }
    guard let filter = NetworkFilter(queryPairs: call.query("after").map { [("after", $0)] } ?? []) else {
      throw Problem.invalidRequest("The parameter after is not a number in its range.", field: "after")
    }
    let isTool = call.query("source")?.lowercased() == NetworkRow.Source.tool.rawValue
    let log = isTool ? device.drift.toolLog ?? device.log : device.log
    let after = filter.after ?? 0
    return try .body(
      await Task.detached { header == nil ? log.search(text: text, after: after) : log.search(header: text, after: after) }.value)
  }

  private struct PinBody: Decodable {
    let pinned: Bool
  }

  /// `POST /api/network/{id}/pin`: answers the row once the pin is saved, or takes it back.
  private static func pin(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let body = try await call.body(PinBody.self)
    guard let id = call.request.parameters["id"] else { throw Problem.notFound }
    do {
      let before = device.log.detail(id: id)?.row.isPinned
      let row = try device.log.pin(id: id, isPinned: body.pinned)
      if let saved = device.savedLog, await !saved.flush() {
        if let before { _ = try? device.log.pin(id: id, isPinned: before) }
        throw Problem.storageFull
      }
      return try .body(row)
    } catch NetworkLog.PinError.unknown {
      throw Problem.notFound
    } catch NetworkLog.PinError.full {
      throw Problem(.conflict, "Too many rows are pinned, or their bodies are too large.")
    }
  }
}

extension ConsoleCall {
  /// The filter of the query; throws `Problem` if it cannot be read.
  func networkFilter() throws(Problem) -> NetworkFilter {
    guard let pairs = QueryPairs.parse(request.query ?? ""), let filter = NetworkFilter(queryPairs: pairs) else {
      throw .invalidRequest("The filter cannot be read.")
    }
    return filter
  }
}
