package import HTTPTypes

/// A request that is ready to be sent.
package struct RenderedRequest: Hashable, Sendable {
  /// The origin of an absolute URL; nil for the backend's.
  package let origin: WebOrigin?
  package let method: HTTPRequest.Method
  /// As sent, without the query.
  package let path: String
  /// As sent, without `?`.
  package let query: String?
  package let headers: HTTPFields
  package let body: [UInt8]?
  /// The values in it that must be masked, each once; in the request they are encoded for their places. `Authorization: Basic` is masked
  /// by its header.
  package let secrets: [SecretValue]
}
