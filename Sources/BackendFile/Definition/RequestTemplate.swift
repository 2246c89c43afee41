package import HTTPTypes

/// A request of a call, as the file describes it.
package struct RequestTemplate: Hashable, Sendable {
  /// A header field.
  package struct Header: Hashable, Sendable {
    package let name: HTTPField.Name
    package let value: Template
  }

  /// A cookie or a pair of a form.
  package struct Pair: Hashable, Sendable {
    package let name: String
    package let value: Template
  }

  package enum Body: Hashable, Sendable {
    case json(JSONTemplate)
    case form([Pair])
  }

  /// The credentials of `Authorization: Basic` (RFC 7617).
  package struct Basic: Hashable, Sendable {
    package let name: Template
    package let password: Template
  }

  package let place: FilePlace
  package let method: HTTPRequest.Method
  /// The origin of an absolute URL; nil for the backend's.
  package internal(set) var origin: WebOrigin?
  package let path: Template
  /// The parts of the query between `&`; nil without a query.
  package let query: [Template]?
  /// The request's own header fields, which win over all others.
  package let headers: [Header]
  package let body: Body?
  package let basic: Basic?
  package let cookies: [Pair]
  /// Whether the header fields of `auth` are sent.
  package let isAuthorized: Bool
  /// The only status of success; nil for any 2xx.
  package let success: Int?
  package let captures: [Capture]
  package let errors: [ErrorRule]

  /// Whether it only reads (RFC 9110 §9.2.1).
  package var isSafe: Bool { [.get, .head, .options].contains(method) }

  /// Its templates, in the order of the file.
  package var templates: [Template] {
    var all = [path] + (query ?? []) + headers.map(\.value) + cookies.map(\.value)
    if let basic { all += [basic.name, basic.password] }
    switch body {
    case .json(let json): all += json.templates
    case .form(let pairs): all += pairs.map(\.value)
    case nil: break
    }
    // A stable order: parts of one text have one place.
    return all.enumerated().sorted {
      ($0.element.place.line, $0.element.place.column, $0.offset) < ($1.element.place.line, $1.element.place.column, $1.offset)
    }.map(\.element)
  }
}
