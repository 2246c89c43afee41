package import JSON

/// A backend as a backend file describes it, in terms of the contract's calls (contract 5.2).
package struct BackendDefinition: Hashable, Sendable {
  /// A call and the requests that are sent for it, in order.
  package struct CallTemplate: Hashable, Sendable {
    package let name: CallName
    package fileprivate(set) var requests: [RequestTemplate]
    package let place: FilePlace
  }

  /// A host that a request names, and where.
  package struct NamedHost: Hashable, Sendable {
    package let origin: WebOrigin
    package let place: FilePlace
  }

  /// The file's name, for messages.
  package let file: String
  package let name: String?
  /// The backend's address, which counts only if the user names its host.
  package private(set) var url: NamedHost?
  /// Header fields of every request to the backend.
  package let headers: [RequestTemplate.Header]
  /// Header fields of signed-in calls.
  package let auth: [RequestTemplate.Header]
  package let errors: [ErrorRule]
  package let errorPlaces: ErrorPlaces
  /// The response to `app_config`; nil if the file has none.
  package let config: JSONTree?
  /// In the order of the file.
  package private(set) var calls: [CallTemplate]

  package func call(_ name: CallName) -> CallTemplate? { calls.first { $0.name == name } }

  package func has(_ name: CallName) -> Bool { call(name) != nil }

  /// The header fields of a request in addition to its own: none at another host.
  func sharedHeaders(of request: RequestTemplate) -> [RequestTemplate.Header] {
    request.origin == nil ? headers + (request.isAuthorized ? auth : []) : []
  }

  /// Whether a request has a value, in its own parts or in the header fields that it shares with others.
  package func uses(_ value: FlowValue, in request: RequestTemplate) -> Bool {
    (request.templates + sharedHeaders(of: request).map(\.value)).contains { $0.values.contains(value.rawValue) }
  }

  /// The hosts of absolute URLs and of `url`, each once.
  package var hosts: [NamedHost] {
    var seen: Set<WebOrigin> = []
    let named = calls.flatMap(\.requests).compactMap { request in
      request.origin.map { NamedHost(origin: $0, place: request.place) }
    }
    return ((url.map { [$0] } ?? []) + named).filter { seen.insert($0.origin).inserted }
  }

  /// The names of the secrets that the file uses, each once, in order.
  package var secrets: [String] {
    var seen: Set<String> = []
    let templates = (headers + auth).map(\.value) + calls.flatMap(\.requests).flatMap(\.templates)
    return templates.flatMap(\.secrets).filter { seen.insert($0).inserted }
  }

  /// The names of the values that requests use.
  package var usedValues: Set<String> {
    Set(((headers + auth).map(\.value) + calls.flatMap(\.requests).flatMap(\.templates)).flatMap(\.values))
  }

  /// The fields that the sign-in page asks for, by call and in the order of the file.
  package var signIn: [(call: CallName, fields: [SignInField])] {
    calls.filter(\.name.isSignIn).map { call in
      var seen: Set<SignInField> = []
      let templates = call.requests.flatMap(\.templates) + headers.map(\.value)
      return (call.name, templates.flatMap(\.values).compactMap(SignInField.init(value:)).filter { seen.insert($0).inserted })
    }
  }

  /// The file for a backend, at whose origin absolute URLs are paths; `others` are the hosts of `--backend-file-host`.
  ///
  /// Throws if a request goes to a host that the user did not name, or needs a value that is not known where it is sent.
  package func bound(to backend: WebOrigin, others: [AllowedHost]) throws(BackendFileError) -> BackendDefinition {
    var bound = self
    if bound.url?.origin == backend { bound.url = nil }
    for call in calls.indices {
      for index in calls[call].requests.indices {
        let request = calls[call].requests[index]
        guard let origin = request.origin else { continue }
        if origin == backend {
          bound.calls[call].requests[index].origin = nil
        } else if !others.contains(where: { $0.allows(origin) }) {
          throw BackendFileError(
            file: file, place: request.place,
            message: "\(origin.authority) is not the backend's host: allow it with --backend-file-host \(origin.authority)")
        }
      }
    }
    do throws(ReadingError) {
      try ReferenceCheck(bound).run()
    } catch {
      throw BackendFileError(file: file, place: error.place, message: error.message)
    }
    return bound
  }
}
