package import Domain
package import HTTPTypes
package import OpenAPI
package import Server

/// A route of the console: what it takes and answers, who may call it, and the handler.
///
/// The router, the gate's checks and `/api/openapi.json` are made of it. A handler that serves a device takes one, and only
/// `Application` can pass it, so a new route cannot forget the check.
package struct ConsoleRoute: Sendable {
  /// Who may call, and what the handler gets for it.
  package enum Handler: Sendable {
    /// Everybody who passes the gate.
    case open(@Sendable (ConsoleCall) async throws -> Response)
    /// A browser that has shown the access token, if the console asks for one; its cookie is read if it has one.
    case browser(@Sendable (ConsoleCall) async throws -> Response)
    /// A browser with access, its cookie and the key of one of its devices.
    case device(@Sendable (ConsoleCall, Device) async throws -> Response)
    /// The same from the console's owner; anybody else is answered `not_found`.
    case owner(@Sendable (ConsoleCall, Device) async throws -> Response)
  }

  package let method: HTTPRequest.Method
  /// The path with `{name}` for each variable.
  package let path: String
  package let handler: Handler
  /// The response of a route that gives everybody the same one, which then needs no task; nil for a route that has to be asked.
  private(set) var fixed: PreparedResponse?
  /// What the route takes and answers, without problems; recording the shapes of bodies costs a quarter of the console's start.
  private let described: @Sendable () -> Operation
  private let codes: [ProblemCode]
  /// What its bodies are checked with.
  let requestSchema: RequestSchema
  /// The role that a person needs, on a console that knows persons.
  package let role: Person.Role

  /// Whether a call changes something, so that it belongs in the audit log.
  var isChange: Bool { method != .get && method != .head }

  /// `codes` are the problems that the handler can answer; those of the gate and of reading a body are added. Without a `role`, a
  /// call that changes something needs a tester.
  package init(
    _ method: HTTPRequest.Method, _ path: String, _ operation: @autoclosure @escaping @Sendable () -> Operation,
    codes: [ProblemCode] = [], role: Person.Role? = nil,
    _ handler: Handler
  ) {
    self.method = method
    self.path = path
    self.handler = handler
    self.role = role ?? (method == .get || method == .head ? .viewer : .tester)
    described = operation
    requestSchema = RequestSchema { operation().request?.jsonSchema }
    self.codes = codes
  }

  /// A GET that everybody who passes the gate gets the same response to.
  package init(_ path: String, _ operation: @autoclosure @escaping @Sendable () -> Operation, fixed response: Response) {
    var response = response
    response.route = path
    let fixed = PreparedResponse(response)
    self.init(.get, path, operation(), .open { _ in Response(fixed) })
    self.fixed = fixed
  }

  /// What the route takes and answers, problems included; made anew each time.
  package var operation: Operation {
    var operation = described()
    operation.security = handler.security
    var codes = Set(codes).union(handler.codes)
    if case .open = handler {} else if role > .viewer { codes.insert(.roleRefused) }
    if operation.request != nil {
      codes.formUnion([.invalidRequest, .payloadTooLarge, .unavailable, .originRefused, .unsupportedMediaType])
    }
    operation.responses += Problem.responses(of: codes)
    return operation
  }
}

extension ConsoleRoute.Handler {
  /// What a caller has to carry, as the API description says it.
  fileprivate var security: [[String]] {
    switch self {
    case .open: []
    case .browser: [[], ["browser"]]
    case .device, .owner: [["browser", "device"]]
    }
  }

  /// What the gate and `Application` can answer before and around the handler.
  fileprivate var codes: [ProblemCode] {
    let guarded: [ProblemCode] = [
      .internalError, .accessRequired, .originRefused, .unsupportedMediaType, .storageFull, .unavailable,
    ]
    return switch self {
    case .open: [.internalError]
    case .browser: guarded
    case .device: guarded + [.noDevice]
    case .owner: guarded + [.noDevice, .notFound]
    }
  }
}

extension Operation.Response {
  static let noContent = Operation.Response.empty(.noContent, "Done.")
}
