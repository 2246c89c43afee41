import Domain
import HTTPTypes
import Logging
import Reactor
import Server

/// A request's sender and its permissions.
struct Sender: Sendable {
  /// The person whom the proxy names.
  let person: Person?
  let browser: BrowserStore.Browser?
  let accessLevel: AccessControl.AccessLevel
  /// Whether the sender may change settings that affect all devices.
  let isOwner: Bool
}

extension Application.Dependencies {
  /// Makes a person's change, with an entry in the audit log before and its status afterwards; `work` makes the change.
  func audited(
    _ person: Person, _ request: Request, deviceID: String?, _ work: () async throws -> Response
  ) async throws -> Response {
    let entry = try await accessPolicy.begin(
      "\(request.method.rawValue) \(request.path)", by: person, deviceID: deviceID, client: request.clientName,
      requestID: request.requestID)
    guard let entry else { return try await work() }
    do {
      let response = try await work()
      await note(response.status.code, entry)
      return response
    } catch {
      await note(Problem(error).status.code, entry)
      throw error
    }
  }

  /// Adds a response's status to the audit log; the entry itself is there already.
  private func note(_ status: Int, _ entry: Int64) async {
    do { try await accessPolicy.end(entry, status: status) } catch {
      logger.error("a status is missing in the audit log", metadata: ["entry": "\(entry)", "status": "\(status)"])
    }
  }

  /// Throws if another person reserved the account of the typed identifier; a text that is not an identifier is reported later.
  func checkAccount(_ typed: String?, _ call: ConsoleCall) async throws {
    try await checkAccount([typed].compactMap(\.self), call, mustKnow: false)
  }

  /// Throws if another person reserved the account with these identifiers.
  ///
  /// If no identifier can be compared but one must be, it throws if other people have reserved any account.
  func checkAccount(_ texts: [String], _ call: ConsoleCall, mustKnow: Bool) async throws {
    let offer = backend.offer
    try await accessPolicy.check(
      texts.compactMap { try? Identifier(ofAccount: $0, at: offer) }, for: call.person, mustKnow: mustKnow)
  }

  /// Returns the sender of the request; must be called on the connection's event loop.
  func sender(of request: Request) async throws -> Sender {
    let accessLevel = access.accessLevel(of: request)
    if let name = proxy?.name(of: request), let person = try await accessPolicy.person(named: name) {
      let isOwner = person.role == .owner
      return Sender(person: person, browser: person.browser, accessLevel: isOwner ? .owner : .guest, isOwner: isOwner)
    }
    guard accessLevel != .pagesOnly else { return Sender(person: nil, browser: nil, accessLevel: accessLevel, isOwner: false) }
    return Sender(
      person: nil, browser: try await browser(of: request), accessLevel: accessLevel,
      isOwner: accessLevel == .owner && isLocal && request.peer.isLoopback)
  }
}
