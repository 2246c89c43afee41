package import Explain
import HTTPTypes

extension BackendDefinition {
  /// The calls in the form that an explanation of a log uses, by method and address.
  ///
  /// For a call of several requests, the last one decides; the requests before a sign-in prepare it.
  package var namedCalls: [NamedCall] {
    calls.flatMap { call -> [NamedCall] in
      call.requests.enumerated().compactMap { index, request in
        let isLast = index == call.requests.count - 1
        guard isLast || call.name.isSignIn, let kind = NamedCall.Kind(endpoint: call.name.rawValue) else { return nil }
        return NamedCall(
          isLast ? kind : .signInRequest, method: request.method.rawValue,
          host: (request.origin ?? url?.origin)?.authority,
          path: request.path.parts.map { if case .text(let text) = $0 { text } else { nil } },
          query: (request.query ?? []).filter(\.isLiteral).map(\.literalText))
      }
    }
  }
}
