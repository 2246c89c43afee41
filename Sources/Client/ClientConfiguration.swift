/// What a device's client needs to know about its backend and itself.
package struct ClientConfiguration: Sendable {
  /// Scheme, host and port of the backend, such as `https://127.0.0.1:8443`, without a slash at its end.
  package var origin: String
  /// Names the compartment in which tokens are kept.
  package var backendID: String
  /// Goes out as `X-Device-ID` with every call.
  package var deviceID: String
  /// The id of the signing key; calls are not signed without it.
  package var apiID: String?
  /// The signing key, as the text that the backend knows.
  package var apiSecret: String?
  /// Goes out as `User-Agent`.
  package var userAgent: String

  /// Makes a configuration of its parts; slashes at the origin's end are dropped.
  package init(
    origin: String, backendID: String, deviceID: String, apiID: String? = nil, apiSecret: String? = nil,
    userAgent: String = "understudy"
  ) {
    var origin = origin
    while origin.hasSuffix("/") { origin.removeLast() }
    self.origin = origin
    self.backendID = backendID
    self.deviceID = deviceID
    self.apiID = apiID
    self.apiSecret = apiSecret
    self.userAgent = userAgent
  }
}
