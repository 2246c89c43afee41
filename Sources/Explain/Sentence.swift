import JSON

/// A sentence about a finding, or about a missing part of the log: a name, for which each language has a text, and the values in
/// it.
package struct Sentence: Encodable, Hashable, Sendable {
  /// A value in a sentence; each language writes times and lengths in its own way.
  package enum Value: Encodable, Hashable, Sendable {
    case row(Int)
    case count(Int)
    /// A name from the log, such as an error's code.
    case text(String)
    /// A method and a path.
    case call(String, String)
    /// In milliseconds since 1970.
    case time(Int64)
    /// The same, for a time that may be on another day than the rest of the log.
    case date(Int64)
    /// In milliseconds.
    case span(Int64)
    /// The status of a response; nil if there was none.
    case status(Int?)
    case token(Token)
    /// The numbers of several rows.
    case rows([Int])

    /// The kind of a token.
    package enum Token: String, Codable, Sendable {
      case access, refresh, identity

      fileprivate var english: String {
        switch self {
        case .access: "access token"
        case .refresh: "refresh token"
        case .identity: "ID token"
        }
      }
    }

    private enum CodingKeys: String, CodingKey { case row, count, text, time, date, span = "span_ms", status, token, rows }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      switch self {
      case .row(let number): try container.encode(number, forKey: .row)
      case .count(let number): try container.encode(number, forKey: .count)
      case .text(let text): try container.encode(text, forKey: .text)
      case .call(let method, let path): try container.encode("\(method) \(path)", forKey: .text)
      case .time(let time): try container.encode(Timestamp(milliseconds: time), forKey: .time)
      case .date(let time): try container.encode(Timestamp(milliseconds: time), forKey: .date)
      case .span(let length): try container.encode(length, forKey: .span)
      // HAR files write a missing response as 0 too.
      case .status(let status): try container.encode(status ?? 0, forKey: .status)
      case .token(let token): try container.encode(token, forKey: .token)
      case .rows(let numbers): try container.encode(numbers, forKey: .rows)
      }
    }

    fileprivate var english: String {
      switch self {
      case .row(let number), .count(let number): String(number)
      case .text(let text): text
      case .call(let method, let path): "\(method) \(path)"
      case .time(let time): Self.clock(time)
      case .date(let time): Self.clock(time) + " on " + Timestamp(milliseconds: time).text.prefix(10)
      case .span(let length): Self.length(length)
      case .status(let status): status.map { "status \($0)" } ?? "no response"
      case .token(let token): token.english
      case .rows(let numbers): numbers.map(String.init).joined(separator: ", ")
      }
    }

    /// The time of a day in UTC.
    package static func clock(_ time: Int64) -> String { Timestamp(milliseconds: time).text.dropFirst(11).prefix(8) + " UTC" }

    /// A length with one unit.
    package static func length(_ milliseconds: Int64) -> String {
      func tenths(_ unit: Double) -> String {
        let value = (Double(milliseconds) / unit * 10).rounded() / 10
        return value == value.rounded() || value >= 10 ? String(Int64(value.rounded())) : String(value)
      }
      return switch milliseconds {
      case ..<1000: "\(milliseconds) ms"
      case ..<60_000: "\(tenths(1000)) s"
      case ..<5_400_000: "\(tenths(60_000)) min"
      case ..<172_800_000: "\(tenths(3_600_000)) hours"
      default: "\(tenths(86_400_000)) days"
      }
    }
  }

  /// The names of the sentences.
  package enum Variant: String, Codable, CaseIterable, Sendable {
    case race = "refresh_race"
    case raceLater = "refresh_race_later"
    case answerLost = "refresh_answer_lost"
    case answerLostGateway = "refresh_answer_lost_gateway"
    case reused = "refresh_token_reused"
    case reusedSaid = "refresh_token_reused_said"
    case expiredClaim = "refresh_expired_claim"
    case expiredLifetime = "refresh_expired_lifetime"
    case expiredSaid = "refresh_expired_said"
    case expiredUnsent = "refresh_expired_unsent"
    case refused = "refresh_refused"
    case noVerdict = "refresh_not_a_verdict"
    case noVerdictValid = "refresh_not_a_verdict_valid"
    case neverSent = "refresh_never_sent"
    case rejectedAfter = "rejected_after_refresh"
    case skewIssuer = "clock_skew_issuer"
    case skewBehind = "clock_skew_behind"
    case skewAhead = "clock_skew_ahead"
    case skewSaid = "clock_skew_said"
    case skewNeedless = "clock_skew_needless"
    case wrongOld = "wrong_token_sent_old"
    case wrongKind = "wrong_token_sent_kind"
    case wrongOther = "wrong_token_sent_other"
    case wrongSite = "wrong_token_sent_site"
    case wrongJunk = "wrong_token_sent_none"
    case usedAfter = "token_used_after_refusal"
    case elsewhereSaid = "signed_out_elsewhere_said"
    case elsewhereSeen = "signed_out_elsewhere_seen"
    case retryIgnored = "retry_after_ignored"
    case sentAfter = "sent_after_sign_out"
    case userQuiet = "user_signed_out"
    case userThenSent = "user_signed_out_then_sent"
    case fault
    case notRecorded = "not_recorded"
    case notRecordedRefusal = "not_recorded_refusal"
    case missingCause = "missing_cause"
    case missingRefusal = "missing_refusal"
    case missingBeginning = "missing_beginning"
    case missingResponse = "missing_response"
    case missingRefreshToken = "missing_refresh_token"
    case missingTokens = "missing_tokens"
    case missingSuccess = "missing_success"
    case missingRest = "missing_rest"
    case missingTime = "missing_time"
    case missingDuration = "missing_duration"
    case missingEnds = "missing_ends"
    case missingDifferences = "missing_differences"
    case missingRequests = "missing_requests"
    case promiseRetryAfter = "promise_retry_after"
    case promiseRetryAfterEnd = "promise_retry_after_end"
    case promiseRetryAfterBroken = "promise_retry_after_broken"
    case promiseBackoff = "promise_backoff"
    case promiseBackoffBroken = "promise_backoff_broken"
    case promiseAttempts = "promise_attempts"
    case promiseAttemptsBroken = "promise_attempts_broken"
    case promisePost = "promise_post"
    case promisePostKey = "promise_post_key"
    case promisePostBroken = "promise_post_broken"
    case promiseRefresh = "promise_refresh"
    case promiseRefreshBroken = "promise_refresh_broken"
    case promiseRefreshParallel = "promise_refresh_parallel"
    case promiseTokenRefused = "promise_token_refused"
    case promiseTokenRefusedBroken = "promise_token_refused_broken"
    case promiseTokenReplaced = "promise_token_replaced"
    case promiseTokenReplacedBroken = "promise_token_replaced_broken"
    case promiseSignOut = "promise_sign_out"
    case promiseSignOutBroken = "promise_sign_out_broken"
    case promiseOffline = "promise_offline"
    case promiseOfflineBroken = "promise_offline_broken"

    /// The text in English, with the names of values in braces.
    package var english: String {
      switch self {
      case .race:
        """
        Two refreshes used the same refresh token {gap} apart (rows {first} and {second}). The backend granted one and rejected the \
        other with {code}, and the app discarded the session that it had just renewed.
        """
      case .raceLater:
        """
        Two refreshes used the same refresh token {gap} apart (rows {first} and {second}), and both got new tokens. The backend \
        honored one pair only: it rejected the other in row {refused} with {code}.
        """
      case .answerLost:
        """
        The refresh at {lost_at} (row {lost}) got no response. {gap} later the app sent the same refresh token again (row {refused}), \
        and the backend, which had replaced it, rejected it with {code}.
        """
      case .answerLostGateway:
        """
        The refresh at {lost_at} (row {lost}) ended with {answer}, without tokens. {gap} later the app sent the same refresh token \
        again (row {refused}), and the backend, which had replaced it, rejected it with {code}.
        """
      case .reused:
        """
        The refresh at {used_at} (row {used}) exchanged the refresh token for a new one. {gap} later the app sent the old token again \
        (row {refused}), and the backend rejected it with {code}.
        """
      case .reusedSaid: "The backend rejected the refresh token in row {refused} because it had been used before ({code})."
      case .expiredClaim:
        """
        The refresh token ended at {ended} by its own exp claim, {gap} before the app sent it in row {refused}. The backend rejected \
        it with {code}.
        """
      case .expiredLifetime:
        """
        The refresh token from row {issued} ended at {ended} by the lifetime in that response, {gap} before the app sent it in row \
        {refused}. The backend rejected it with {code}.
        """
      case .expiredSaid: "The backend rejected the refresh token in row {refused} because it had expired ({code})."
      case .expiredUnsent:
        """
        The backend rejected the access token in row {refused}, and the refresh token had ended {gap} earlier, at {ended}, so the app \
        had to ask for a new sign-in.
        """
      case .refused: "The backend rejected the refresh token in row {refused} with {code}. The log does not show why."
      case .noVerdict:
        """
        The refresh failed {count} times, the last time in row {last} with {code}. That says nothing about the refresh token, but the \
        app left the session as if it had ended.
        """
      case .noVerdictValid:
        """
        The refresh failed {count} times, the last time in row {last} with {code}. That says nothing about the refresh token, which \
        was valid for another {left}, but the app left the session as if it had ended.
        """
      case .neverSent:
        """
        The backend rejected the access token in row {refused} with {code}, and the app left the session without a refresh: it never \
        sent the refresh token from row {issued}.
        """
      case .rejectedAfter:
        """
        The refresh in row {refresh} returned a new access token, but the backend rejected that token as well, {gap} later in row \
        {refused} with {code}.
        """
      case .skewIssuer:
        """
        The access token from row {issued} is valid only from {from} on, {gap} after the time of the backend that rejected it in row \
        {refused}: the clocks of the two backends differ.
        """
      case .skewBehind:
        """
        The app's clock was {gap} behind the backend's. The token in row {refused} had ended for the backend, but not for the app, so \
        the app did not renew it.
        """
      case .skewAhead:
        """
        The app's clock was {gap} ahead of the backend's when the backend rejected row {refused} with {code}.
        """
      case .skewNeedless:
        """
        The app's clock was {gap} ahead of the backend's, so the app treated new access tokens as expired: it sent {count} refreshes that \
        were not needed, first in row {first}.
        """
      case .skewSaid: "The backend rejected row {refused} because its time and the request's differ ({code})."
      case .wrongOld:
        """
        The refresh in row {refresh} returned a new access token, but the app sent the old one again in row {refused}, and the backend \
        rejected it with {code}.
        """
      case .wrongKind:
        """
        The app sent the wrong token in row {refused}: the {sent} from row {issued}, where the {expected} belongs. The backend \
        rejected it with {code}.
        """
      case .wrongOther:
        """
        In row {refused} the app sent a different refresh token than the one it received in row {issued}. The backend rejected it with \
        {code}.
        """
      case .wrongSite:
        """
        The app sent the refresh token of another backend in row {refused}: it was issued or last worked in row {issued}. This backend \
        rejected it with {code}.
        """
      case .wrongJunk:
        """
        The app sent no valid {expected} in row {refused}, but a text such as "null" in its place, and the backend rejected it with {code}.
        """
      case .usedAfter:
        """
        The backend rejected the token in row {refused} with {code}, and the app sent the same token {count} more times, first in row \
        {next}.
        """
      case .elsewhereSaid:
        """
        The backend had ended the session: it rejected row {refused} with {code}, and the log shows no sign-out by this app before.
        """
      case .elsewhereSeen:
        """
        Another session ended this one: {call} in row {cause} at {at}. The backend then rejected row {refused} with {code}.
        """
      case .retryIgnored:
        """
        Row {limited} asked the app to wait {wait} (Retry-After), but it tried again after {gap} (row {next}); {count} requests came \
        too early.
        """
      case .sentAfter:
        """
        The app sent {count} more requests with the session's tokens after the sign-out in row {sign_out}, first in row {next}, {gap} \
        later.
        """
      case .userQuiet:
        """
        The user signed out: {call} in row {sign_out} at {at} got {code}, and nothing was sent with the session afterwards.
        """
      case .userThenSent: "The user signed out: {call} in row {sign_out} at {at} got {code}."
      case .fault: "The fault rule \"{name}\" made or changed the response in row {row}."
      case .notRecorded: "The app left the session at {at} (row {row}), but no recorded response says why."
      case .notRecordedRefusal:
        """
        The backend rejected the session in row {refused} with {code}, and the app left it. The log has no refresh, and no refresh token \
        that the app could have sent.
        """
      case .missingCause: "The log has no response that ends the session: the cause is not recorded, or lies in the app."
      case .missingRefusal: "The log shows where the refresh token of row {row} came from, but not what ended it."
      case .missingBeginning:
        """
        The log begins {gap} before row {row}, so it does not show whether the refresh token was replaced, lost, expired or revoked \
        before.
        """
      case .missingResponse: "Row {row} has no response, so whether the backend replaced the refresh token is not known."
      case .missingRefreshToken: "The log does not show whether the app had a refresh token: no response in it returns one."
      case .missingTokens: "No request in the log carries a token or a session cookie."
      case .missingSuccess: "The log shows no request that worked with the session's tokens."
      case .missingRest:
        "The log does not show what the app did after row {row}: whether it kept the session is unknown."
      case .missingTime:
        "The log does not show when its requests were sent, so their order, and what followed from what, is unknown."
      case .missingDuration:
        "Row {row} has no duration, so whether the backend rejected it before or after the sign-out is unknown."
      case .missingEnds: "Only the first {count} ends of sessions are explained."
      case .missingDifferences:
        "The tokens in the log are replaced by a placeholder, so equal and different tokens look the same."
      case .missingRequests: "These entries have no readable request: {rows}."
      case .promiseRetryAfter: "Asked to wait {asked}, waited {waited}"
      case .promiseRetryAfterEnd: "Asked to wait {asked}, sent nothing more"
      case .promiseRetryAfterBroken: "Asked to wait {asked} by row {limited}, but sent row {next} after {waited}"
      case .promiseBackoff: "Waited {waited} before the next attempt"
      case .promiseBackoffBroken: "Waited only {waited} before the attempt in row {next}, instead of {pause}"
      case .promiseAttempts: "Attempts: {count} of at most 3"
      case .promiseAttemptsBroken: "Attempts: {count} instead of at most 3"
      case .promisePost: "Sent the POST request only once"
      case .promisePostKey: "Sent the POST request again with its Idempotency-Key"
      case .promisePostBroken: "Sent {call} again in row {next} without an Idempotency-Key"
      case .promiseRefresh: "One refresh (row {refresh}) for all requests with the rejected token"
      case .promiseRefreshBroken: "Another refresh in row {refresh} for the token that was rejected in row {first}"
      case .promiseRefreshParallel: "Two refreshes with the same refresh token at the same time (rows {first} and {second})"
      case .promiseTokenRefused: "Did not send the rejected token again"
      case .promiseTokenRefusedBroken: "Sent the token again in row {next} that was rejected in row {row}"
      case .promiseTokenReplaced: "Did not send the replaced tokens again"
      case .promiseTokenReplacedBroken: "Sent a token in row {next} that the refresh in row {row} had replaced"
      case .promiseSignOut: "Did not send the session's tokens after the sign-out"
      case .promiseSignOutBroken: "Sent the session's tokens in row {next}, after the sign-out in row {row}"
      case .promiseOffline: "Failed at once without a network"
      case .promiseOfflineBroken: "Took {time} to fail without a network (row {row})"
      }
    }
  }

  package let variant: Variant
  package let values: [String: Value]

  package init(variant: Variant, values: [String: Value]) {
    self.variant = variant
    self.values = values
  }

  private enum CodingKeys: String, CodingKey {
    case values
    case variant = "sentence"
  }

  /// The sentence with every text of the log changed by `mask`, and every path by `path`.
  func masked(by mask: (String) -> String, path: (String) -> String) -> Sentence {
    Sentence(
      variant: variant,
      values: values.mapValues { value in
        switch value {
        case .text(let text): .text(mask(text))
        case .call(let method, let text): .call(mask(method), path(text))
        default: value
        }
      })
  }

  /// The sentence in English.
  package var text: String {
    var text = ""
    var rest = variant.english[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      text += rest[..<open]
      text += values[String(rest[rest.index(after: open)..<close])]?.english ?? "?"
      rest = rest[rest.index(after: close)...]
    }
    return (text + rest).replacing(" 1 times", with: " once").replacing(" 1 more times", with: " once more")
      .replacing(" 1 more requests", with: " one more request").replacing(" 1 requests came", with: " one request came")
  }
}
