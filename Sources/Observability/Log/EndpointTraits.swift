/// What the log has to know of an endpoint.
package struct EndpointTraits: Equatable, Sendable {
  /// Its name or path template, such as `/rpc/get_cues`; holds no value of a request.
  package let name: String
  /// Whether it is a login, refresh or logout call, in whose texts login codes are masked.
  package let isAuthentication: Bool
  /// Whether its request body may be kept, redacted.
  package let logsRequestBody: Bool
  /// Whether its response body may be kept, redacted; bodies of errors follow it too.
  package let logsResponseBody: Bool

  /// The traits of an endpoint; by default no body is kept.
  package init(name: String, isAuthentication: Bool, logsRequestBody: Bool = false, logsResponseBody: Bool = false) {
    self.name = name
    self.isAuthentication = isAuthentication
    self.logsRequestBody = logsRequestBody
    self.logsResponseBody = logsResponseBody
  }

  /// How texts of its calls are masked.
  var context: MaskContext { isAuthentication ? .authentication : .general }
}
