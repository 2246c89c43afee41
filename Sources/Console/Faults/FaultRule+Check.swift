import Client
import HTTPTypes
import Redaction
import Text
import Vault

// The schemas have the range of every number; these checks cover the rest.

extension FaultRule {
  /// The longest body to compare with, in bytes.
  static let matchBodyLimit = 64 << 10

  /// The rule as it is armed: with the secrets in the place of its masks, and with a seed if it is random.
  ///
  /// Throws `invalid_request` with the wrong field, or `not_replayable` if the secret of a mask is no longer in memory.
  func completed(secrets: SecretRegistry) throws -> FaultRule {
    try check()
    let masks = MaskFilling(secrets)
    var rule = self
    rule.name = try DisplayName.checked(name)
    rule.match = try match.completed(masks)
    rule.when = when.completed
    rule.action = try action.completed(masks)
    return rule
  }

  /// Throws if a kind gets a value that it does not use, or lacks one that it needs.
  fileprivate func check() throws {
    let kind = action.kind
    func refuse(_ isWrong: Bool, _ title: String, _ field: String) throws {
      if isWrong { throw Problem.invalidRequest(title, field: field) }
    }
    func refuse(_ member: String, _ isThere: Bool, unless kinds: Set<FaultKind>) throws {
      try refuse(isThere && !kinds.contains(kind), "The kind \(kind.rawValue) does not use \(member).", "action.\(member)")
    }
    // Clock and disk belong to the device, not to a single call.
    let ofDevice: Set = [FaultKind.clockSkew, .storageFull]
    try refuse("status", action.status != nil, unless: [.status, .answer])
    try refuse("code", action.code != nil, unless: [.status, .rateLimit, .revokeRefreshToken])
    try refuse("retry_after_seconds", action.retryAfterSeconds != nil, unless: [.status, .rateLimit])
    try refuse("skew_seconds", action.skewSeconds != nil, unless: [.clockSkew])
    try refuse("latency_ms", action.latencyMilliseconds != nil, unless: Set(FaultKind.allCases).subtracting(ofDevice))
    try refuse("headers", action.headers != nil, unless: [.answer])
    try refuse("body", action.body != nil, unless: [.answer])
    try refuse(kind == .answer && action.status == nil, "An answer needs a status.", "action.status")
    try refuse(kind == .status && action.status ?? 300 < 300, "The status of a failure is from 300 to 599.", "action.status")
    try refuse(kind == .latency && action.latencyMilliseconds == nil, "A latency needs its length.", "action.latency_ms")
    try refuse(kind == .clockSkew && action.skewSeconds ?? 0 == 0, "A clock skew needs its size.", "action.skew_seconds")
    try refuse(ofDevice.contains(kind) && match != Match(), "The kind \(kind.rawValue) applies to every call.", "match")
    let isAlways = when.skip == nil && when.every == nil && when.probability == nil
    try refuse(kind == .clockSkew && !isAlways, "A clock skew applies all the time.", "when")
  }
}

extension FaultChange {
  /// The change to make to a rule, with secrets and a seed as in ``FaultRule/completed(secrets:)``; throws as that.
  func completed(changing rule: FaultRule, secrets: SecretRegistry) throws -> FaultChange {
    try rule.changed(by: self).check()
    let masks = MaskFilling(secrets, changing: rule)
    var change = self
    change.name = try name.map { try DisplayName.checked($0) }
    change.match = try match?.completed(masks)
    change.when = when?.completed
    change.action = try action?.completed(masks)
    return change
  }
}

extension FaultRule.Match {
  /// The match with the secrets in the place of masks; throws as ``FaultRule/completed(secrets:)``.
  func completed(_ masks: MaskFilling) throws -> FaultRule.Match {
    var match = self
    match.path = try masks.fill(path, .url, "match.path", else: "The path has to be one that a call can have.") {
      OriginFormPath.isAcceptable($0)
    }
    match.query = try masks.fill(
      query, .url, "match.query", else: "The query has to be one that a call can have, without the question mark."
    ) { OriginFormPath.isAcceptable(query: $0) }
    let limit = FaultRule.matchBodyLimit
    match.body = try masks.fill(
      body, .json, "match.body", else: "A body to compare with has at most \(limit >> 10) KiB."
    ) { $0.utf8.count <= limit }
    return match
  }
}

extension FaultRule.When {
  /// With a seed if it is random: a report needs a repeatable run.
  fileprivate var completed: FaultRule.When {
    var when = self
    if probability != nil, seed == nil { when.seed = SecureRandom.bytes(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    return when
  }
}

extension FaultRule.Action {
  fileprivate func completed(_ masks: MaskFilling) throws -> FaultRule.Action {
    var action = self
    let fields = try (headers ?? []).map { try $0.completed(masks) }
    let body = try masks.fill(
      body, .json, "action.body", else: "The body of an answer has at most \(Self.bodyLimit >> 10) KiB."
    ) { $0.utf8.count <= Self.bodyLimit }
    action.headers = fields.isEmpty ? nil : fields
    action.body = body?.value.isEmpty == true ? nil : body
    return action
  }
}

extension FaultRule.Action.Header {
  fileprivate func completed(_ masks: MaskFilling) throws -> FaultRule.Action.Header {
    let field = "action.headers"
    guard let parsed = HTTPField.Name(name), !name.hasPrefix(":") else {
      throw Problem.invalidRequest("The name of a header field is a token (RFC 9110).", field: field)
    }
    let title = parsed.canonicalName
    guard !FaultRule.Action.refusedHeaders.contains(title) else {
      throw Problem.invalidRequest("The header field \(title) belongs to the connection or follows from the body.", field: field)
    }
    let value = try masks.fill(value, .plain, field, else: "The value of the header field \(title) is not valid (RFC 9110).") {
      // White space around a value would be lost on the network.
      let isTrimmed = $0.utf8.first.map { $0 != 0x20 && $0 != 0x09 } ?? true
      return $0.utf8.count <= FaultRule.Action.headerValueLimit && isTrimmed && HTTPField.isValidValue($0)
    }
    return FaultRule.Action.Header(name: name, value: value)
  }
}
