package import Client
import Domain
import HTTPTypes
import JSON
import Observability
import Server

/// The routes that send a request of a person's own: a row again, or one that was written (contract §2.3).
enum ReplayRoutes {
  private struct SentBody: Encodable {
    let id: String
  }

  /// What a body says; the request's own body is text as it is sent, or JSON as it is written.
  private struct Wish {
    let method: String?
    let path: String?
    let query: String?
    let body: String?
    let auth: Bool?
    let isConfirmed: Bool

    init(_ call: ConsoleCall) async throws {
      let root = try await call.document().root
      guard root.kind == .object else { throw Problem.invalidRequest("The body is no object.") }
      method = try Self.text(root, "method")
      path = try Self.text(root, "path")
      query = try Self.text(root, "query")
      auth = try Self.flag(root, "auth")
      isConfirmed = try Self.flag(root, "confirm") ?? false
      let node = root["body"]
      body = node.flatMap { $0.kind == .null ? nil : $0.kind == .string ? $0.string : $0.sourceText }
    }

    private static func text(_ root: JSONNode, _ name: String) throws -> String? {
      guard let node = root[name], node.kind != .null else { return nil }
      guard let text = node.string else { throw Problem.invalidRequest("The member is no text.", field: name) }
      return text
    }

    private static func flag(_ root: JSONNode, _ name: String) throws -> Bool? {
      guard let node = root[name], node.kind != .null else { return nil }
      guard let flag = node.bool else { throw Problem.invalidRequest("The member is neither true nor false.", field: name) }
      return flag
    }
  }

  /// `POST /api/network/{id}/replay`: sends a row again, changed where the body says so.
  static func replay(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let wish = try await Wish(call)
    guard let id = call.request.parameters["id"], let detail = device.log.detail(id: id) else { throw Problem.notFound }
    guard !ComposedRequest.isSessionCall(path: detail.row.path) else { throw Problem.notReplayable }
    // A body that was not kept can be sent again by whoever writes it.
    if wish.body == nil, detail.request.body == nil, detail.row.requestBytes > 0 { throw Problem.maskNotHeld }
    let isAuthorized = detail.request.headers.contains { $0.name.lowercased() == "authorization" }
    return try await send(
      method: detail.row.method, path: wish.path ?? detail.row.path, query: wish.query ?? detail.query,
      body: wish.body ?? detail.request.body, isAuthorized: isAuthorized, isConfirmed: wish.isConfirmed, parent: id, device)
  }

  /// `POST /api/network/requests`: sends a request that was written.
  static func compose(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let wish = try await Wish(call)
    guard let method = wish.method else { throw Problem.invalidRequest("The method is missing.", field: "method") }
    guard let path = wish.path else { throw Problem.invalidRequest("The path is missing.", field: "path") }
    guard let auth = wish.auth else { throw Problem.invalidRequest("Whether it is signed in is missing.", field: "auth") }
    return try await send(
      method: method, path: path, query: wish.query, body: wish.body, isAuthorized: auth, isConfirmed: wish.isConfirmed,
      parent: nil, device)
  }

  private static func send(
    method: String, path: String, query: String?, body: String?, isAuthorized: Bool, isConfirmed: Bool, parent: String?,
    _ device: Device
  ) async throws -> Response {
    let path = try refilled(path, device, MaskEncoding.url)
    let query = try query.map { try refilled($0, device, MaskEncoding.url) }
    let body = try body.map { try refilled($0, device, MaskEncoding.json) }
    let request: ComposedRequest
    do throws(ComposedRequest.Refusal) {
      request = try ComposedRequest(
        method: method, path: path, query: query, body: body.map { Array($0.utf8) }, isAuthorized: isAuthorized,
        isConfirmed: isConfirmed, parentRow: parent)
    } catch {
      throw Problem(error)
    }
    return try .body(SentBody(id: try await device.send(request)), status: .accepted)
  }

  /// A part with its masks refilled; throws the problem where one is no longer held.
  private static func refilled(_ text: String, _ device: Device, _ encode: (String) -> String) throws -> String {
    guard let text = device.secrets.refill(text, encode: encode) else { throw Problem.maskNotHeld }
    return text
  }
}

extension ConsoleCall {
  /// Reads the body as JSON of whatever shape; throws `Problem` where it is none.
  func document() async throws -> JSONDocument {
    // The request within may be as large as a body.
    let bytes = try await bytes(upTo: 2 * Self.bodyLimit)
    do {
      return try JSONDocument(parsing: bytes)
    } catch {
      throw Problem.invalidRequest("The body is not the JSON that this route takes.")
    }
  }
}

extension Problem {
  package static let notReplayable = Problem(
    .forbidden, "not_replayable", "Login, refresh and logout calls are the session's own.")
  /// What stood in the row is not known any more.
  package static let maskNotHeld = Problem(
    .conflict, "not_replayable", "A masked value or the body of the row is no longer held.")

  /// Translates why a request is not made.
  package init(_ refusal: ComposedRequest.Refusal) {
    self =
      switch refusal {
      case .invalid(let field): .invalidRequest("The \(field) cannot be sent.", field: field)
      case .notReplayable: .notReplayable
      case .unconfirmed: .invalidRequest("A request that may change something has to be confirmed.", field: "confirm")
      }
  }
}
