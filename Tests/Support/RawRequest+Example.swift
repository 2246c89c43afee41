import HTTPTypes
package import Redaction

extension RawRequest {
  /// A request to an endpoint whose bodies may be stored.
  package static func example(
    path: String = "/rpc/get_cues", query: String? = nil, isAuthentication: Bool = true,
    headers: [(name: String, value: String)] = [],
    body: String = "", logsBodies: Bool = true
  ) -> RawRequest {
    RawRequest(
      method: .post, origin: "https://backend.test", path: path, query: query,
      endpoint: EndpointTraits(
        name: "/rpc/get_cues", isAuthentication: isAuthentication, logsRequestBody: logsBodies, logsResponseBody: logsBodies),
      headers: headers, body: Array(body.utf8))
  }
}
