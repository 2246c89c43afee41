import Domain
import HTTPTypes
import Logging
import Reactor
import Server

/// Who sent a request, and what it may do.
struct Sender: Sendable {
  /// The person whom the proxy names.
  let person: Person?
  let browser: BrowserStore.Browser?
  let accessLevel: AccessControl.AccessLevel
  /// Whether it may change what affects all devices.
  let isOwner: Bool
}

extension Application.Dependencies {
  /// What every change that a person makes is written to.
  var audit: AuditLog { AuditLog(storage: registry.store.storage, wall: time.wall) }

  /// Makes a person's change, with an entry in the audit log before and its status afterwards; `work` makes the change.
  func audited(
    _ person: Person, _ request: Request, deviceID: String?, _ work: () async throws -> Response
  ) async throws -> Response {
    let entry = try await audit.begin(person, request, deviceID: deviceID)
    do {
      let response = try await work()
      await note(response.status.code, entry)
      return response
    } catch {
      await note(Problem(error).status.code, entry)
      throw error
    }
  }

  /// Adds an answer's status to the audit log; the entry itself is there already.
  private func note(_ status: Int, _ entry: Int64) async {
    do { try await audit.end(entry, status: status) } catch {
      logger.error("a status is missing in the audit log", metadata: ["entry": "\(entry)", "status": "\(status)"])
    }
  }

  /// The workspaces; nil on a console that knows no persons.
  var workspaces: Workspaces? { persons.map { _ in Workspaces(store: registry.store) } }

  /// Who sent the request; must be called on the connection's event loop.
  func sender(of request: Request) async throws -> Sender {
    let accessLevel = access.accessLevel(of: request)
    if let person = try await persons?.person(of: request) {
      let isOwner = person.role == .owner
      return Sender(person: person, browser: person.browser, accessLevel: isOwner ? .owner : .guest, isOwner: isOwner)
    }
    guard accessLevel != .pagesOnly else { return Sender(person: nil, browser: nil, accessLevel: accessLevel, isOwner: false) }
    return Sender(
      person: nil, browser: try await browser(of: request), accessLevel: accessLevel,
      isOwner: accessLevel == .owner && isLocal && request.peer.isLoopback)
  }
}
