import HTTPTypes
import Logging
import RPC

/// The routes of a backend that answers from a recording. Sign-in, refresh and logout are its own; every other call gets the
/// recorded answers of the same call.
struct ReplayRoutes: CallRouting {
  private struct Key: Hashable {
    let method: HTTPRequest.Method
    let path: String
  }

  private let services: BackendServices
  private let positions = ReplayPositions()
  private var routes: [Key: BackendRoute] = [:]

  init(_ recording: ReplayedRecording, services: BackendServices) {
    self.services = services
    let session = ReplaySession(services: services, positions: positions)
    for route in LoginMessageRoutes(services: services).routes { add(route.handled(by: session.requestMessage)) }
    for (key, exchanges) in Dictionary(grouping: recording.exchanges, by: { Key(method: $0.method, path: $0.path) }) {
      let call = RecordedCall(exchanges)
      if !call.sequences.isEmpty { add(route(of: key, call, exchanges)) }
    }
    for route in LoginRoutes(services: services).routes {
      let isLink = route.path == AuthEndpoints.LoginWithMagicToken.path
      add(route.handled(by: isLink ? session.loginWithMagicToken : session.loginWithCode))
    }
    for route in SessionRoutes(services: services).routes { add(route) }
  }

  func route(of head: CallHead) throws(BackendFailure) -> BackendRoute {
    let direct = routes[Key(method: head.method, path: head.path)]
    guard let route = direct ?? (head.method == .head ? routes[Key(method: .get, path: head.path)] : nil) else {
      Self.note(head, services)
      throw .notRecorded(head.method, head.path)
    }
    return route
  }

  private mutating func add(_ route: BackendRoute) { routes[Key(method: route.method, path: route.path)] = route }

  private func route(of key: Key, _ call: RecordedCall, _ exchanges: [ReplayedRecording.Exchange]) -> BackendRoute {
    let endpoint = EndpointCatalogue.endpoint(key.method, path: key.path)
    let needsSession = endpoint?.requiresAuth ?? exchanges.contains(where: \.isAuthorized)
    return BackendRoute(recorded: key.method, key.path, access: needsSession ? .session : .open) { [services, positions] sent in
      let head = sent.request
      guard let index = call.sequence(query: head.query, body: sent.body) else {
        Self.note(head, services)
        throw BackendFailure.notRecorded(head.method, head.path, "is in the recording, but with another query or body")
      }
      let exchanges = call.sequences[index].exchanges
      let position = positions.next(
        ReplayPositions.SequenceID(method: key.method.rawValue, path: key.path, index: index), count: exchanges.count,
        device: head.deviceID ?? "", key: head.fields[.idempotencyKey])
      let exchange = exchanges[position]
      return Answer(
        status: HTTPResponse.Status(code: exchange.status), body: exchange.body.isEmpty ? nil : exchange.body,
        recordedFields: exchange.fields)
    }
  }

  private static func note(_ head: CallHead, _ services: BackendServices) {
    services.log.warning(
      "call is not in the recording", metadata: ["method": "\(head.method.rawValue)", "path": "\(head.path.prefix(200))"])
  }
}
