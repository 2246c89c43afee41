/// A request of a log and its purpose.
package struct SessionCall: Sendable {
  /// The exchange's number.
  package let number: Int
  package let kind: NamedCall.Kind
  /// Equal for the requests with the tokens of one session; nil for a request without tokens.
  package let session: Int?
  /// Whether the backend carried out the request.
  package let isGranted: Bool
}

extension Explainer {
  /// The added requests, in the order of their starts, without those that browsers send by themselves.
  package func calls() -> [SessionCall] {
    let log = SessionLog(facts, appKeys: reader.appKeys, cookies: reader.sessionCookieNames)
    return log.exchanges.indices.map { index in
      let exchange = log.exchanges[index]
      let kind: NamedCall.Kind =
        switch exchange.kind {
        case .signIn: .signIn
        case .refresh: .refresh
        case .signOut: .signOut
        case .other: exchange.words.contains(.signIn) && log.family(of: index) == nil ? .signInRequest : .other
        }
      return SessionCall(
        number: exchange.number, kind: kind, session: log.family(of: index),
        isGranted: exchange.status.map { (200..<400).contains($0) } ?? false)
    }
  }
}
