import HTTPTypes
import Locking
import OpenAPI
import Server

/// The console's routes as OpenAPI 3.1.
enum APIDescription {
  /// `GET /api/openapi.json`, which describes the routes and itself.
  static func route(describing routes: [ConsoleRoute], version: String) -> ConsoleRoute {
    let operation = Operation(
      "openapi", tag: "console", "This description.", responses: [.content("OpenAPI 3.1.", "application/json", .anyObject)])
    let written = Locked<[UInt8]?>(nil)
    func route(_ handler: ConsoleRoute.Handler) -> ConsoleRoute {
      ConsoleRoute(
        .get, "/api/openapi.json", operation, codes: [.originRefused, .unsupportedMediaType], handler)
    }
    let all = routes + [route(.open { _ in .noContent })]
    return route(
      .open { _ in
        // Written when it is first asked for: most consoles are never asked.
        .json(
          written.withLock { written in
            let bytes = written ?? document(of: all, version: version).json
            written = bytes
            return bytes
          })
      })
  }

  /// The document of routes.
  static func document(of routes: [ConsoleRoute], version: String) -> APIDocument {
    var document = APIDocument(
      title: "Understudy console", version: version,
      summary: "Devices that stand in for phones: sign-in, account, network log, faults.", description: overview, tags: tags,
      securitySchemes: [
        "browser": .apiKey(cookie: "understudy_<port>_<characters>"), "device": .apiKey(header: "X-Device-Key"),
      ])
    for route in routes { document.add(route.method, route.path, route.operation) }
    return document
  }

  private static let overview = """
    A request has to name an accepted host; otherwise the answer is 421 without a body. A request to /api must not come from \
    another origin (Origin, Sec-Fetch-Site), and its body is application/json. A method that a path does not support is answered \
    405 method_not_allowed with Allow. Errors are RFC 9457 problem details; code is the stable word. Dates are RFC 3339 with \
    milliseconds. Unknown members of a body and unknown parameters are ignored.
    """

  private static let tags: [APIDocument.Tag] = [
    .init("console", "The program itself."), .init("devices", "Devices of a browser, their state and events."),
    .init("persons", "Persons behind an authenticating proxy: roles, their devices, accounts for tests and the audit log."),
    .init("login", "From an identifier to a session."), .init("session", "Refreshing a session and ending it."),
    .init("account", "Account, profiles, choices and deletion."),
    .init("cues", "The active profile's cues, whether or not the backend can be reached."),
    .init("network", "Every request of a device, and what happened to it."),
    .init("recordings", "Named copies of logs, and imported files."),
    .init("faults", "The device's fault rules."),
    .init("backend", "The embedded backend's inbox, clock and limits."),
  ]
}
