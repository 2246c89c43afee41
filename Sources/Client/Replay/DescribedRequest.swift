import BackendFile
import HTTPTypes

/// A request of a backend file that a row shows, to be sent again with the session's current values.
package struct DescribedRequest: Sendable {
  let call: CallName
  let template: RequestTemplate
  /// Whether it is part of a call that needs the session.
  package let needsSession: Bool
  /// Whether it needs only the session's values, without the row.
  package let isOfSession: Bool
  /// Whether all of it is rendered again; else path, query and body are those of the row, or a person's changes.
  package var isWhole = false

  /// Whether its body is a form.
  package var isForm: Bool { if case .form = template.body { true } else { false } }

  fileprivate init(_ template: RequestTemplate, of call: CallName) {
    self.call = call
    self.template = template
    needsSession = call.role == .signedIn
    isOfSession = template.templates.allSatisfy { $0.values.allSatisfy { !call.arguments.contains($0) } }
  }
}

extension ClientStack {
  /// The request of the backend file that has a row's endpoint, method and path; nil if there is none, if there are several, such as
  /// those of a GraphQL backend, or if only the session may make it.
  package func described(endpoint: String, method: String, path: String) -> DescribedRequest? {
    let calls = (backendFile?.content.definition.calls ?? []).filter { !$0.name.isAuthentication }
    let named = calls.filter { $0.name.rawValue == endpoint }
    let found = (named.isEmpty ? calls : named).flatMap { call in
      call.requests
        .filter { $0.origin == nil && $0.method.rawValue == method && SessionPaths([$0.path.source]).contains(path) }
        .map { DescribedRequest($0, of: call.name) }
    }
    return found.count == 1 ? found[0] : nil
  }
}
