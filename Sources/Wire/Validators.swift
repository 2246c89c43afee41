package import HTTPTypes

/// What tells one state of a representation from another (RFC 9110 §8.8), and what a request's conditions make of it (§13).
package struct Validators: Equatable, Sendable {
  /// What the conditions of a request lead to.
  package enum Verdict: Equatable, Sendable {
    /// The method is carried out.
    case proceed
    /// 304: the client has this state.
    case notModified
    /// 412: the state is not the one that the client means.
    case failed
  }

  /// The entity tag.
  package var tag: EntityTag?
  /// The value of `Last-Modified`, in seconds since 1970.
  package var modified: Int64?
  /// Whether no other state can have the same `modified` (RFC 9110 §8.8.2.2).
  package var isModifiedStrong: Bool

  /// Validators of known parts.
  package init(tag: EntityTag?, modified: Int64?, isModifiedStrong: Bool = false) {
    (self.tag, self.modified, self.isModifiedStrong) = (tag, modified, isModifiedStrong)
  }

  /// Weighs the conditions in the order of RFC 9110 §13.2.2; `Range` comes after them. `now` places two-digit years.
  package func verdict(_ method: HTTPRequest.Method, _ fields: HTTPFields, now: Int64) -> Verdict {
    let isRead = method == .get || method == .head
    if let value = fields[.ifMatch] {
      guard Self.condition(value, tag, EntityTagCondition.matchesStrongly) else { return .failed }
    } else if let modified, let limit = fields[.ifUnmodifiedSince].flatMap({ HTTPDate.parse($0, now: now) }), modified > limit {
      return .failed
    }
    if let value = fields[.ifNoneMatch] {
      guard Self.condition(value, tag, EntityTagCondition.matchesWeakly) else { return .proceed }
      return isRead ? .notModified : .failed
    }
    if isRead, let modified, let since = fields[.ifModifiedSince].flatMap({ HTTPDate.parse($0, now: now) }), modified <= since {
      return .notModified
    }
    return .proceed
  }

  /// Whether `Range` may be followed: `If-Range` is absent, or names this very state (RFC 9110 §13.1.5).
  package func permitsRange(_ fields: HTTPFields, now: Int64) -> Bool {
    guard let value = fields[.ifRange] else { return true }
    if let date = HTTPDate.parse(value, now: now) { return isModifiedStrong && date == modified }
    guard let tag, case .tags(let tags) = EntityTagCondition(value), tags.count == 1 else { return false }
    return EntityTagCondition.tags(tags).matchesStrongly(tag)
  }

  /// A list that cannot be read names no tag.
  private static func condition(
    _ value: String, _ tag: EntityTag?, _ matches: (EntityTagCondition) -> (EntityTag) -> Bool
  ) -> Bool {
    guard let condition = EntityTagCondition(value) else { return false }
    guard let tag else { return condition == .any }
    return matches(condition)(tag)
  }
}
