import Domain

/// The backend and identity of one device's client.
package struct ClientConfiguration: Sendable {
  /// Scheme, host and port of the backend, such as `https://127.0.0.1:8443`, without a trailing slash.
  package var origin: String
  /// Identifies the backend in token and cue storage.
  package var backendID: String
  /// Sent as `X-Device-ID` with every call.
  package var deviceID: String
  /// The id of the signing key; calls are signed only if both it and `apiSecret` are set.
  package var apiID: String?
  /// The signing key, as the backend's text.
  package var apiSecret: String?
  /// The backend file, which replaces the contract; nil for the contract itself.
  package var backendFile: ActiveBackendFile?
  /// Whether the backend has a refresh; without one, the first rejection of an access token ends the session.
  var canRefresh: Bool { backendFile?.content.offer.has(.refresh) ?? true }
  /// Sent as `User-Agent`.
  package var userAgent: String
  /// Whether other processes have the session before and after this one.
  package var isShared = false
  /// Whether the app is launched, which refreshes the tokens (seed-rules N-47 "At launch"); false if it continues from another
  /// process.
  package var isLaunch = true

  /// Creates a configuration; removes trailing slashes from `origin`.
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
