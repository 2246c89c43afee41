import Client
import Text

extension FaultMatchBody {
  /// The match, with the secrets in the place of masks; throws `invalid_request` with the member that is wrong, or `not_replayable`
  /// if the secret of a mask is no longer known.
  func checked(masks: MaskFilling) throws(Problem) -> FaultRule.Match {
    let path = try path.map { (text) throws(Problem) in try masks.text(text, .url, field: "match.path") }
    if let path, !OriginFormPath.isAcceptable(path.value) {
      throw .invalidRequest("The path has to be one that a call can have.", field: "match.path")
    }
    let query = try query.map { (text) throws(Problem) in try masks.text(text, .url, field: "match.query") }
    if let query, !OriginFormPath.isAcceptable(query: query.value) {
      throw .invalidRequest("The query has to be one that a call can have, without the question mark.", field: "match.query")
    }
    let body = try body.map { (text) throws(Problem) in try masks.text(text, .json, field: "match.body") }
    if let body, body.value.utf8.count > Self.bodyLimit {
      throw .invalidRequest("A body to compare with has at most \(Self.bodyLimit >> 10) KiB.", field: "match.body")
    }
    return FaultRule.Match(method: method, endpoint: endpoint, path: path, query: query, body: body)
  }
}
