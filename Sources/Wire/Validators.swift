package import HTTPTypes
import Text

/// The validators of a representation (RFC 9110 §8.8), and the evaluation of a request's preconditions (§13).
package struct Validators: Equatable, Sendable {
  /// The result of the preconditions.
  package enum Verdict: Equatable, Sendable {
    /// Process the request.
    case proceed
    /// 304: the client has the current version.
    case notModified
    /// 412: a precondition failed.
    case failed
  }

  package var tag: EntityTag?
  /// The value of `Last-Modified`, in seconds since 1970.
  package var modified: Int64?
  /// Whether no other version can have the same modification second (RFC 9110 §8.8.2.2).
  package var isModifiedStrong: Bool

  package init(tag: EntityTag?, modified: Int64?, isModifiedStrong: Bool = false) {
    self.tag = tag
    self.modified = modified
    self.isModifiedStrong = isModifiedStrong
  }

  /// Evaluates the preconditions in the order of RFC 9110 §13.2.2, before `Range`. `now` resolves two-digit years.
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

  /// Whether to process `Range`: `If-Range` is absent or matches the current version (RFC 9110 §13.1.5).
  package func permitsRange(_ fields: HTTPFields, now: Int64) -> Bool {
    guard let value = fields[.ifRange] else { return true }
    if let date = HTTPDate.parse(value, now: now) { return isModifiedStrong && date == modified }
    guard let tag, case .tags(let tags) = EntityTagCondition(value), tags.count == 1 else { return false }
    return EntityTagCondition.tags(tags).matchesStrongly(tag)
  }

  /// A list that cannot be parsed matches no tag.
  private static func condition(
    _ value: String, _ tag: EntityTag?, _ matches: (EntityTagCondition) -> (EntityTag) -> Bool
  ) -> Bool {
    guard let condition = EntityTagCondition(value) else { return false }
    guard let tag else { return condition == .any }
    return matches(condition)(tag)
  }
}
