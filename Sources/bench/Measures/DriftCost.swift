import FoundationEssentials
import JSON
import OpenAPI

/// Measures the comparison of an exchange with an OpenAPI document; it runs in parallel with the calls, not within them.
enum DriftCost {
  private static let count = 10_000
  private static let rounds = 5
  /// Microseconds for an exchange with 2 KB of bodies.
  private static let goal = 30.0

  /// Compares 10,000 responses of `GET /rpc/get_cues` and 10,000 of `GET /rpc/me` with the backend's own description.
  static func measure() throws -> [Figure] {
    let bytes = Array(try Data(contentsOf: URL(filePath: "Tests/Baselines/swagger.json")))
    let contract = try APIContract(parsing: bytes)
    let exchanges = [("GET /rpc/get_cues", cues), ("GET /rpc/me", account)]
    return try exchanges.map { name, exchange in
      let drifts = contract.differences(in: exchange)
      var costs: [Double] = []
      for _ in 0..<rounds {
        let started = ContinuousClock.now
        for _ in 0..<count { _ = contract.differences(in: exchange) }
        costs.append(Quantiles([ContinuousClock.now - started])(0) / Double(count))
      }
      // An exchange that differs costs more, so it would distort the measurement.
      guard drifts.isEmpty else { throw CocoaError(.fileReadCorruptFile) }
      let cost = median(costs)
      let scan = try scanCost(exchange.responseBody ?? [])
      return Figure(
        work: "comparing \(name), \(exchange.responseBody?.count ?? 0) bytes (\(Figure.number(scan)) µs of it to parse them)",
        goal: "≤ \(Figure.number(goal)) µs", measured: "\(Figure.number(cost)) µs", isMet: cost <= goal)
    }
  }

  private static func scanCost(_ body: [UInt8]) throws -> Double {
    let started = ContinuousClock.now
    for _ in 0..<count { _ = try JSONDocument(parsing: body) }
    return Quantiles([ContinuousClock.now - started])(0) / Double(count)
  }

  private static let requestHeaders = [
    (name: "Authorization", value: "Bearer qz7Kd0wM4xJ9vTfB2sLrYhN"),
    (name: "X-Device-ID", value: "6be0a1f4-2f0f-4c0f-8a43-2a3b1d0f7c22"),
    (name: "X-Request-ID", value: "0f3c9a52-7a0e-4a60-9b7f-0b8f5f6f2a11"), (name: "Accept", value: "application/json"),
  ]
  private static let responseHeaders = [
    (name: "Date", value: "Sat, 21 Nov 2026 12:04:31 GMT"), (name: "Content-Type", value: "application/json"),
    (name: "Cache-Control", value: "private, no-cache"), (name: "ETag", value: "\"3f1c09ab5d2e7c10\""),
  ]

  private static func exchange(_ path: String, query: String? = nil, _ body: String) -> ObservedExchange {
    ObservedExchange(
      method: "GET", path: path, query: query, requestHeaders: requestHeaders, status: 200, responseHeaders: responseHeaders,
      responseBody: Array(body.utf8))
  }

  private static let cues = exchange(
    "/rpc/get_cues", query: "profile_id=6be0a1f4-2f0f-4c0f-8a43-2a3b1d0f7c22",
    #"{"cues":["#
      + (0..<8).map {
        """
        {"cue_id":"0f3c9a52-7a0e-4a60-9b7f-0b8f5f6f2a1\($0)","profile_id":"6be0a1f4-2f0f-4c0f-8a43-2a3b1d0f7c22",\
        "prompt":"el río que pasa por la ciudad","answer":"the river that flows","stage":"new","position":\($0),\
        "updated_at":"2026-11-21T12:04:31.482Z"}
        """
      }.joined(separator: ",") + #"],"server_time":"2026-11-21T12:04:31.482Z"}"#)

  private static let account = exchange(
    "/rpc/me",
    """
    {"user_id":"0f3c9a52-7a0e-4a60-9b7f-0b8f5f6f2a11","account_id":"6be0a1f4-2f0f-4c0f-8a43-2a3b1d0f7c22",\
    "email":"person@example.com","roles":["user"],"created_at":"2026-11-21T12:04:31.482Z","profiles":[
    """
      + (0..<12).map {
        """
        {"profile_id":"6be0a1f4-2f0f-4c0f-8a43-2a3b1d0f7c\(10 + $0)","language_code":"de","display_name":"Profile number \($0)",\
        "created_at":"2026-11-21T12:04:31.482Z"}
        """
      }.joined(separator: ",") + "]}")
}
