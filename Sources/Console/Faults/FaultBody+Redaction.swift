import Client
import HTTPTypes
import Observability
import Redaction

extension FaultBody {
  /// The rule as an export contains it: its texts are redacted as those of a row, since a user may have typed secrets into them.
  func redacted(by redactor: Redactor) -> FaultBody {
    let traits = EndpointTraits(name: "fault", isAuthentication: true, logsRequestBody: true, logsResponseBody: true)
    let asked = redactor.redact(
      RawRequest(
        method: .post, origin: "", path: match.path ?? "", query: match.query, endpoint: traits,
        body: Array((match.body ?? "").utf8)))
    let answered = redactor.redact(
      RawResponse(
        status: action.status ?? 0, headers: (action.headers ?? []).map { ($0[0], $0[1]) },
        body: Array((action.body ?? "").utf8)),
      to: traits)
    var rule = self
    rule.match.path = match.path.map { _ in asked.path }
    rule.match.query = match.query.map { _ in asked.query ?? "" }
    // What cannot be redacted with certainty, such as text that is not JSON, is left out.
    rule.match.body = match.body.flatMap { _ in asked.message.body }
    rule.action.headers = action.headers.map { _ in answered.message.headers.map { [$0.name, $0.value] } }
    rule.action.body = action.body.flatMap { _ in answered.message.body }
    return rule
  }

  /// The rule of an imported file: redacted, but masks that it has stay as they are.
  func imported(by redactor: Redactor) -> FaultBody {
    let redacted = redacted(by: redactor)
    func kept(_ own: String?, _ other: String?) -> String? {
      own.flatMap { own in other.map { MaskSkeleton.keep(own, over: $0) } }
    }
    var rule = self
    rule.name = MaskSkeleton.keep(name, over: redactor.redact(text: name, context: .authentication).text)
    rule.match.path = kept(match.path, redacted.match.path)
    rule.match.query = kept(match.query, redacted.match.query)
    rule.match.body = kept(match.body, redacted.match.body)
    rule.action.body = kept(action.body, redacted.action.body)
    rule.action.headers = action.headers.map { lines in
      zip(lines, redacted.action.headers ?? []).map { own, other in zip(own, other).map { MaskSkeleton.keep($0, over: $1) } }
    }
    return rule
  }
}
