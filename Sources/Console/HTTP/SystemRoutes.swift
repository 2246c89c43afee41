import HTTPTypes
import OpenAPI
import Server

/// The routes of the program itself.
enum SystemRoutes {
  private struct HealthBody: Codable, SchemaProvider {
    let status: String
    let version: String

    static var schema: Schema { .recorded(from: Self.self).refined(["status": .oneOf(["ok"])]) }
  }

  static func routes(_ dependencies: Application.Dependencies) -> [ConsoleRoute] {
    let health = (try? Response.body(HealthBody(status: "ok", version: dependencies.version))) ?? .noContent
    return [
      ConsoleRoute(
        "/healthz",
        Operation("health", tag: "console", "Whether the console answers.", responses: [.json("It does.", HealthBody.self)]),
        fixed: health),
      ConsoleRoute(
        .get, "/readyz",
        Operation(
          "readiness", tag: "console", "Whether the console takes devices, for a balancer.",
          parameters: [
            .query("unready", "With 404, that status instead of 503: haproxy then lets running calls end.")
          ],
          responses: [.json("It does.", HealthBody.self)]),
        codes: [.unavailable, .notFound],
        .open { call in
          guard dependencies.registry.isReady else { throw call.query("unready") == "404" ? Problem.notFound : .notReady }
          return health
        }),
      ConsoleRoute(
        .get, "/",
        Operation(
          "home", tag: "console", "Leads to the settings if somebody is signed in, otherwise to the login.",
          responses: [.empty(.found, "To /settings or /login.")]),
        .open { call in await home(call, dependencies) }),
      ConsoleRoute(
        .get, "/metrics",
        Operation(
          "metrics", tag: "console", "What the server did, as Prometheus text.",
          responses: [.content("The counters.", "text/plain", .string)]),
        codes: [.accessRequired, .tooManyAttempts], .open { call in try await metrics(call, dependencies) }),
      ConsoleRoute(
        .get, RefusedPage.clearPath,
        Operation(
          "clearCookies", tag: "console",
          "Makes the browser clear this address's cookies if one of the console's own pages leads here.",
          responses: [
            .empty(.seeOther, "To /, with Clear-Site-Data."), .content("A page that offers it.", "text/html", .string),
          ]),
        .open { call in RefusedPage.clearing(call.request.headers) }),
    ]
  }

  /// `GET /`: redirects to the settings if a user is signed in on a device of this browser, otherwise to the login.
  private static func home(_ call: ConsoleCall, _ dependencies: Application.Dependencies) async -> Response {
    var isSignedIn = false
    // Open to every caller, because a page reads the access token of the ready line; a browser without access gets the login.
    if let sender = try? await dependencies.sender(of: call.request), sender.accessLevel != .pagesOnly,
      let browser = sender.browser
    {
      isSignedIn =
        (try? await dependencies.registry.store.holdsSession(browserID: browser.id, backendID: dependencies.backend.id)) ?? false
    }
    var response = Response.redirect(to: isSignedIn ? "/settings" : "/login", status: .found)
    response.headers[.cacheControl] = "no-store"
    return response
  }

  /// `GET /metrics`; a caller without a cookie shows the access token as a bearer token.
  private static func metrics(_ call: ConsoleCall, _ dependencies: Application.Dependencies) async throws -> Response {
    guard try dependencies.access.accessLevel(of: call.request) != .pagesOnly || dependencies.admitsBearer(call.request) else {
      throw Problem.accessRequired
    }
    return Response(
      status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
      body: .bytes(await dependencies.metrics()))
  }
}

extension Problem {
  /// The console stops, or does not know which devices it has.
  static let notReady = Problem(.unavailable, "The console takes no devices now.", retryAfterSeconds: 1)
}
