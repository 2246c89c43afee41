package import Client
import HTTPTypes
import JSON
import Observability
import OpenAPI
import Server
import Redaction

/// The routes that send a request which a person wrote: a row again, or a new one.
enum ReplayRoutes {
  private struct SentBody: Codable, SchemaProvider {
    let id: String

    static var schema: Schema { .recorded(from: Self.self).refined(["id": .uuid]) }
  }

  /// The members of both bodies, for the API description; they are read as ``Draft``, because `body` is text or any JSON.
  private struct ReplayBody: Decodable {
    let path: String?
    let query: String?
    let headers: [[String]]?
    let body: String?
    let confirm: Bool?
  }

  private struct ComposeBody: Decodable {
    let method: String
    let path: String
    let auth: Bool
    let query: String?
    let headers: [[String]]?
    let body: String?
    let confirm: Bool?
  }

  /// A request as a body describes it; its own body is text or JSON, which is sent as it is written.
  private struct Draft {
    let method: String?
    let path: String?
    let query: String?
    let headers: [(name: String, value: String)]?
    let body: String?
    let auth: Bool?
    let isConfirmed: Bool

    init(_ call: ConsoleCall) async throws {
      // The request inside may itself have a body of the full size.
      let root = try await call.document(upTo: 2 * ConsoleCall.bodyLimit).root
      method = root["method"]?.string
      path = root["path"]?.string
      query = root["query"]?.string
      headers = root["headers"].flatMap { node in
        guard node.kind == .array else { return nil }
        // The schema asks for pairs of strings.
        return node.elements.map { ($0.elements.first?.string ?? "", $0.elements.last?.string ?? "") }
      }
      auth = root["auth"]?.bool
      isConfirmed = root["confirm"]?.bool ?? false
      let node = root["body"]
      body = node.flatMap { $0.kind == .null ? nil : $0.kind == .string ? $0.string : $0.sourceText }
    }
  }

  static let routes: [ConsoleRoute] = {
    let sent = Operation.Response.json(
      "The row of the first attempt; the answer arrives in the log.", SentBody.self, status: .accepted)
    let body = Schema.any.refined(by: .described("Text to send as it is, or JSON."))
    let codes: [ProblemCode] = .session + [.invalidRequest, .notReplayable, .maskNotHeld]
    return [
      ConsoleRoute(
        .post, "/api/network/{id}/replay",
        Operation(
          "replayRow", tag: "network", "Sends a row again with the current session, with the changes of the body.",
          request: .json(.request(ReplayBody.self).replacing(["body": body]).refined(["headers[]": .count(2...2)])),
          responses: [sent]),
        codes: codes + [.notFound], .device { call, device in try await replay(call, device) }),
      ConsoleRoute(
        .post, "/api/network/requests",
        Operation(
          "composeRequest", tag: "network", "Sends a new request to the configured backend.",
          request: .json(
            .request(ComposeBody.self).replacing(["body": body]).refined([
              "method": .oneOf(["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]), "headers[]": .count(2...2),
            ])), responses: [sent]),
        codes: codes, .device { call, device in try await compose(call, device) }),
    ]
  }()

  /// `POST /api/network/{id}/replay`: sends a row again, with the changes of the body.
  private static func replay(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let draft = try await Draft(call)
    guard let id = call.request.parameters["id"], let detail = device.log.detail(id: id) else { throw Problem.notFound }
    let row = detail.row
    guard !device.client.isReserved(endpoint: row.endpoint, path: row.path, host: row.host) else { throw Problem.notReplayable }
    // A request that a person composed is sent as it was written, and another address belongs to another call.
    let described =
      row.flow == ComposedRequest.flowNames[0] || draft.path.map { $0 != row.path } ?? false
      ? nil : device.client.described(endpoint: row.endpoint, method: row.method, path: row.path)
    let isChanged = draft.path != nil || draft.query != nil || draft.headers != nil || draft.body != nil
    // A row that was sent again may contain a person's changes.
    let isOwn = !ComposedRequest.flowNames.contains(row.flow)
    if let described, described.isOfSession, isOwn, !isChanged { return try await sendAnew(described, detail, draft, device) }
    // A body that was not recorded can only be sent again if the caller supplies it.
    if draft.body == nil, detail.request.body == nil, detail.row.requestBytes > 0 { throw Problem.maskNotHeld }
    let isAuthorized = described?.needsSession ?? detail.request.headers.contains { $0.name.lowercased() == "authorization" }
    return try await send(
      method: detail.row.method, path: draft.path ?? detail.row.path, query: draft.query ?? detail.query,
      headers: draft.headers ?? (described == nil ? composedHeaders(of: detail) : []), body: draft.body ?? detail.request.body,
      isAuthorized: isAuthorized,
      isConfirmed: draft.isConfirmed, parent: id, described: described, device)
  }

  /// Sends a request of a backend file again, built from the session's current values.
  private static func sendAnew(
    _ described: DescribedRequest, _ detail: NetworkRowDetail, _ draft: Draft, _ device: Device
  ) async throws -> Response {
    var whole = described
    whole.isWhole = true
    return try await send(
      method: detail.row.method, path: "/", query: nil, headers: [], body: nil, isAuthorized: described.needsSession,
      isConfirmed: draft.isConfirmed, parent: detail.row.id, described: whole, device)
  }

  /// `POST /api/network/requests`: sends a new request.
  private static func compose(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let draft = try await Draft(call)
    guard let method = draft.method else { throw Problem.invalidRequest("The method is missing.", field: "method") }
    guard let path = draft.path else { throw Problem.invalidRequest("The path is missing.", field: "path") }
    guard let auth = draft.auth else { throw Problem.invalidRequest("The member auth is missing.", field: "auth") }
    return try await send(
      method: method, path: path, query: draft.query, headers: draft.headers ?? [], body: draft.body, isAuthorized: auth,
      isConfirmed: draft.isConfirmed,
      parent: nil, device)
  }

  private static func send(
    method: String, path: String, query: String?, headers: [(name: String, value: String)], body: String?, isAuthorized: Bool,
    isConfirmed: Bool, parent: String?, described: DescribedRequest? = nil, _ device: Device
  ) async throws -> Response {
    let path = try refilled(path, device, .url)
    let query = try query.map { try refilled($0, device, .url) }
    let headers = try headers.map { (name: $0.name, value: try refilled($0.value, device, .plain)) }
    let isForm =
      described?.isForm
      ?? headers.contains { $0.name.lowercased() == "content-type" && $0.value.hasPrefix("application/x-www-form-urlencoded") }
    let body = try body.map { try refilled($0, device, isForm ? .url : .json) }
    let request: ComposedRequest
    do throws(ComposedRequest.Refusal) {
      request = try ComposedRequest(
        method: method, path: path, query: query, headers: headers, body: body.map { Array($0.utf8) }, isAuthorized: isAuthorized,
        isConfirmed: isConfirmed,
        parentRow: parent, described: described, sessionPaths: device.client.sessionPaths)
    } catch {
      throw Problem(error)
    }
    return try .body(SentBody(id: try await device.send(request)), status: .accepted)
  }

  /// The header fields that a person wrote for the request of a row; none for a call of the app's own.
  private static func composedHeaders(of detail: NetworkRowDetail) -> [(name: String, value: String)] {
    guard ComposedRequest.flowNames.contains(detail.row.flow) else { return [] }
    return detail.request.headers.filter { !ComposedFields.isReserved($0.name) }
  }

  /// A part with its masks replaced by their values; throws `maskNotHeld` if a value is no longer known.
  private static func refilled(_ text: String, _ device: Device, _ encoding: MaskEncoding) throws -> String {
    guard let text = device.secrets.refill(text, encode: encoding.encode) else { throw Problem.maskNotHeld }
    return text
  }
}

extension Problem {
  package static let notReplayable = Problem(.notReplayable, "Login, refresh and logout calls cannot be replayed.")
  /// A value of the row is no longer known.
  package static let maskNotHeld = Problem(.maskNotHeld, "A masked value or the body of the row is no longer known.")

  /// A value behind a mask in a member of the body is no longer known.
  static func maskNotHeld(field: String) -> Problem {
    Problem(.maskNotHeld, "The value behind a mask is no longer known.", field: field)
  }

  /// Translates why a request is not sent.
  package init(_ refusal: ComposedRequest.Refusal) {
    self =
      switch refusal {
      case .invalid(let field): .invalidRequest("The \(field) cannot be sent.", field: field)
      case .notReplayable: .notReplayable
      case .unconfirmed: .invalidRequest("A request that can change something has to be confirmed.", field: "confirm")
      }
  }
}
