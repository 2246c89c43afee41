import HTTPTypes
import OpenAPI
import RPC

/// The route's description in `GET /swagger.json`, in addition to its endpoint.
struct RouteDescription {
  /// A group of routes.
  enum Tag: String, CaseIterable {
    case login, session, account, cues
  }

  let tag: Tag
  let summary: String
  /// Describes each status of a successful call.
  let success: KeyValuePairs<HTTPResponse.Status, String>
  /// The error responses that not every route has.
  var failures: [Operation.Response] = []
  var query: [Parameter] = []
  /// The schema of the request body, if it is stricter than the type that is decoded.
  var request: Schema?

  /// Describes an endpoint; parameters, body, responses and security follow from its type and `access`.
  func operation<Endpoint: APIEndpoint>(of endpoint: Endpoint.Type, access: BackendRoute.Access) -> Operation {
    Operation(
      Endpoint.operationID, tag: tag.rawValue, summary,
      parameters: (access == .open ? [] : [.device]) + (access == .idempotent ? [.idempotencyKey] : []) + query,
      request: Endpoint.isSafe ? nil : body(of: endpoint), responses: answers(of: endpoint, access: access),
      security: Endpoint.requiresAuth ? [[Self.sessionScheme]] : [])
  }

  fileprivate static let sessionScheme = "session"

  private func body<Endpoint: APIEndpoint>(of endpoint: Endpoint.Type) -> Operation.RequestBody {
    Endpoint.RequestBody.self is NoBody.Type
      ? .json(.anyObject, isRequired: false) : .json(request ?? .request(Endpoint.RequestBody.self))
  }

  private func answers<Endpoint: APIEndpoint>(
    of endpoint: Endpoint.Type, access: BackendRoute.Access
  ) -> [Operation.Response] {
    var answers = success.map { status, text -> Operation.Response in
      guard !(Endpoint.ResponseBody.self is NoBody.Type) else { return .empty(status, text) }
      let described = Endpoint.ResponseBody.self as? any DescribedBody.Type
      let schema = described?.schema ?? .recorded(from: Endpoint.ResponseBody.self)
      let response = Operation.Response.content(text, "application/json", schema, status: status)
      return Endpoint.isCacheable ? response.with(Operation.Header("ETag")) : response
    }
    if Endpoint.isCacheable { answers.append(.empty(.notModified, "The caller's copy is current.")) }
    answers += [.badRequest, .unauthorized, .forbidden] + failures
    if access == .idempotent { answers.append(.conflict) }
    if !Endpoint.isSafe { answers += [.payloadTooLarge, .unsupportedMediaType] }
    if BackendRoute.usesData(Endpoint.method, access) { answers.append(.unavailable) }
    return answers
  }
}

/// The body of a response whose schema is stricter than its type, or has a name in the description.
///
/// It is not a `SchemaProvider`, because the console describes some of these types differently in its own document.
protocol DescribedBody {
  static var schema: Schema { get }
}

extension APIEndpoint {
  /// The path as an identifier: `me` for `/rpc/me`, `app_call_start` for `/app/api/call/start`.
  fileprivate static var operationID: String {
    path.split { "/-".contains($0) }.filter { $0 != "rpc" && $0 != "api" }.joined(separator: "_")
  }
}

extension APIDocument {
  /// The document of the backend's routes.
  init(describing routes: [BackendRoute]) {
    self.init(
      title: "Understudy reference backend", version: "1.0.0", summary: "Accounts, sessions and cues over HTTPS and JSON.",
      description: """
        Every answer repeats X-Request-ID if it is a token of at most 128 characters. A backend with an API id requires \
        X-Api-Id, X-Nonce (Unix time in seconds, within 300 s) and X-Signature (lower-case hex of HMAC-SHA256 over \
        api_id + method + path + body + nonce) on every call except this description. Unknown members of a body and unknown \
        parameters are ignored. Dates are RFC 3339 with milliseconds. Requests with an Origin, as web pages send them, are \
        refused.
        """,
      tags: RouteDescription.Tag.allCases.map { Tag($0.rawValue, $0.text) },
      securitySchemes: [
        RouteDescription.sessionScheme: .bearer("The access token; the call must come from the device that signed in.")
      ])
    for route in routes {
      guard let operation = route.operation else { continue }
      add(route.method, route.path, operation)
    }
  }
}

extension RouteDescription.Tag {
  fileprivate var text: String {
    switch self {
    case .login: "From an identifier to a session."
    case .session: "Refreshing and ending a session, and starting a phone call."
    case .account: "Who is signed in, and the configuration of the app."
    case .cues: "The cues of a profile."
    }
  }
}
