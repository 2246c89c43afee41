/// The backend as the console knows it: where it is, and the control of the embedded one.
package struct BackendLink: Sendable {
  /// The backend's origin, `https://host:port`.
  package let origin: String
  /// The id under which devices store their data for this backend: its origin, or the id of the embedded backend's data.
  package let id: String
  /// Hosts whose deep links are trusted, in addition to those in the backend's configuration.
  package let linkHosts: [String]
  /// The control of the embedded backend; nil for any other.
  package let embedded: EmbeddedBackend?

  package init(origin: String, id: String, linkHosts: [String], embedded: EmbeddedBackend?) {
    self.origin = origin
    self.id = id
    self.linkHosts = linkHosts
    self.embedded = embedded
  }
}
