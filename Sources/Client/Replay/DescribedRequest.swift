import BackendFile
import HTTPTypes

/// A request of a backend file that a row shows, to be sent again with what the session has now.
package struct DescribedRequest: Sendable {
  let template: RequestTemplate
  /// Whether it is part of a call that needs the session.
  package let needsSession: Bool
  /// Whether all of it can be made of what the session has, without the row.
  package let isOfSession: Bool
  /// Whether all of it is made anew; else path, query and body are those of the row, or of the person who changed them.
  package var isWhole = false

  /// Whether its body is a form.
  package var isForm: Bool { if case .form = template.body { true } else { false } }

  fileprivate init(_ template: RequestTemplate, of call: CallName) {
    self.template = template
    needsSession = call.role == .signedIn
    isOfSession = template.templates.allSatisfy { $0.values.allSatisfy { !call.arguments.contains($0) } }
  }
}

extension ClientStack {
  /// The request of the backend file that has a row's method and path; nil if there is none, or if only the session may make it.
  package func described(method: String, path: String) -> DescribedRequest? {
    for call in backendFile?.content.definition.calls ?? [] where !call.name.isAuthentication {
      for request in call.requests where request.origin == nil && request.method.rawValue == method {
        if SessionPaths([request.path.source]).contains(path) { return DescribedRequest(request, of: call.name) }
      }
    }
    return nil
  }
}
