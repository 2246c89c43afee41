package import HTTPTypes

/// Every endpoint that client and backend share.
package enum EndpointCatalogue {
  package static let all: [any APIEndpoint.Type] =
    AuthEndpoints.all + AccountEndpoints.all + AppEndpoints.all + CueEndpoints.all + AppAPIEndpoints.all

  /// Returns the endpoint with that method and exact path, nil if there is none.
  package static func endpoint(_ method: HTTPRequest.Method, path: String) -> (any APIEndpoint.Type)? {
    all.first { $0.path == path && $0.method == method }
  }

  /// Returns the endpoint with that name, nil if there is none.
  package static func endpoint(named name: String) -> (any APIEndpoint.Type)? { all.first { $0.name == name } }
}
