package import Domain
package import HTTPTypes
package import OpenAPI
package import Server

/// A route of the console: its request and responses, its permitted callers, and the handler.
///
/// The router, the gate's checks and `/api/openapi.json` are derived from it. A handler that serves a device takes one as a
/// parameter, and only `Application` can pass it, so a new route cannot skip the check.
package struct ConsoleRoute: Sendable {
  /// The permitted callers and the handler's arguments.
  package enum Handler: Sendable {
    /// Every caller who passes the gate.
    case open(@Sendable (ConsoleCall) async throws -> Response)
    /// A browser that has shown the access token, if the console asks for one; its cookie is read if it has one.
    case browser(@Sendable (ConsoleCall) async throws -> Response)
    /// A browser with access, its cookie and the key of one of its devices.
    case device(@Sendable (ConsoleCall, Device) async throws -> Response)
    /// The same from the console's owner; every other caller gets `not_found`.
    case owner(@Sendable (ConsoleCall, Device) async throws -> Response)
  }

  package let method: HTTPRequest.Method
  /// The path with `{name}` for each variable.
  package let path: String
  package let handler: Handler
  /// The same response for every caller, which needs no task; nil for a route whose handler has to run.
  private(set) var fixed: PreparedResponse?
  /// The route's request and responses, without problems; recording the shapes of bodies costs a quarter of the console's start.
  private let described: @Sendable () -> Operation
  private let codes: [ProblemCode]
  /// The schema that validates its bodies.
  let requestSchema: RequestSchema
  /// The role that a person needs, on a console with people.
  package let role: Person.Role

  /// Whether a call changes something, so that it belongs in the audit log.
  var isChange: Bool { method != .get && method != .head }

  /// `codes` are the problems that the handler can report; those of the gate and of reading a body are added. Without a `role`, a
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

  /// A GET that sends the same response to every caller who passes the gate.
  package init(_ path: String, _ operation: @autoclosure @escaping @Sendable () -> Operation, fixed response: Response) {
    var response = response
    response.route = path
    let fixed = PreparedResponse(response)
    self.init(.get, path, operation(), .open { _ in Response(fixed) })
    self.fixed = fixed
  }

  /// The route's request and responses, including problems; computed on each access.
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
  /// The credentials that a caller has to send, in the form of the API description.
  fileprivate var security: [[String]] {
    switch self {
    case .open: []
    case .browser: [[], ["browser"]]
    case .device, .owner: [["browser", "device"]]
    }
  }

  /// The problems that the gate and `Application` can report before and around the handler.
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
