import HTTPTypes
import JSON
import Logging
import Reactor
import Server
import Storage

/// Checks a request, finds its route and runs the handler.
struct CallDispatcher: Sendable {
  let services: BackendServices
  /// nil if calls need no signature.
  let signature: RequestSignature?
  let deletion: AccountDeletion
  let routes: any CallRouting

  /// Answers a request in the backend's dialect; in `strict`, every error has the JSON shape of `BackendErrorBody`.
  func respond(to request: Request) async -> Response { services.dialect.rewriting(await response(to: request)) }

  private func response(to request: Request) async -> Response {
    let head = CallHead(method: request.method, path: request.path, query: request.query, fields: request.headers)
    do {
      let answer = try await answer(to: head, body: request.body, client: request.peer.client.host)
      for event in answer.events { services.audit.record(event) }
      return services.dialect.rewriting(answer, to: head).response(to: head)
    } catch let failure as BackendFailure {
      return failure.response(to: head)
    } catch {
      let failure = DatabaseFault.isTransient(error) ? BackendFailure.unavailable : .internal
      services.log.error(
        "call failed", metadata: ["request_id": "\(head.requestID)", "fault": "\(DatabaseFault.description(of: error))"])
      return failure.response(to: head)
    }
  }

  private func answer(to head: CallHead, body: RequestBody, client: String) async throws -> Answer {
    let route = try routes.route(of: head)
    let bytes = try await Self.collect(body)
    if !route.isDescription { try signature?.check(head, body: bytes, systemTime: services.clock.systemTime) }
    if route.method == .post, route.takesJSON { try Self.checkMediaType(head, body: bytes) }
    if route.usesData { try await services.catchUp() }
    var call = BackendCall(request: head, body: bytes, now: services.clock.now, client: client)
    call.dateStep = services.dialect.dateStep
    call.hasNumericDates = services.dialect.hasNumericDates
    // Due accounts are deleted before a call can see them, because time also passes without the clock's advance.
    if route.usesData { try await deletion.purge() }
    switch route.access {
    case .open, .idempotent: break
    case .device: _ = try call.requiredDeviceID()
    case .session: call.session = try await session(of: call)
    }
    return try await route.handler(call)
  }

  private func session(of call: BackendCall) async throws -> Session {
    guard let token = call.request.bearerToken else { throw BackendFailure.invalidToken }
    return try await services.storage.read { transaction in
      try Session.authorize(transaction, accessToken: token, deviceID: call.request.deviceID, now: call.now)
    }
  }

  private static func collect(_ body: RequestBody) async throws(BackendFailure) -> [UInt8] {
    do {
      return try await body.collect(upTo: ReferenceBackend.bodyLimit)
    } catch {
      switch error {
      case .tooLarge: throw .payloadTooLarge
      case .overBudget: throw .unavailable
      case .disconnected, .malformed, .timedOut: throw .invalidRequest("The body is incomplete.")
      }
    }
  }

  /// A body must have the media type JSON; a call without parameters may omit both.
  private static func checkMediaType(_ head: CallHead, body: [UInt8]) throws(BackendFailure) {
    guard !body.isEmpty || head.fields[.contentType] != nil else { return }
    guard head.isJSON else { throw .unsupportedMediaType }
    guard !body.isEmpty else { return }
    // Checked before the session; a call without parameters also takes only an object.
    do throws(JSONError) {
      let document = try JSONDocument(parsing: body)
      guard document.root.kind == .object else { throw JSONError(.unexpectedValue, at: 0) }
    } catch {
      throw .invalidRequest("The body is not valid for this call: \(error.reason.words).")
    }
  }
}
