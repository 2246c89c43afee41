package import JSON
import Text

/// The lifetime of a token, from its response (contract 5.2, point 5).
package enum TokenLifetime: Hashable, Sendable {
  /// From when the request was sent.
  case lasts(milliseconds: Int64)
  /// Until an instant of the backend's clock.
  case until(Timestamp)
  /// Only a response shows that the token has expired.
  case unknown

  /// The longest lifetime that counts, in milliseconds: ten years.
  private static let longest: Double = 315_360_000_000

  /// Reads `expires_in`, else `expires_in_ms`, else `expires_at`, else the token itself, if it is a JWT. Text is read as a
  /// number; a number that is not positive is ignored.
  init(seconds: JSONTree?, milliseconds: JSONTree?, instant: JSONTree?, token: String?) {
    if let value = Self.number(seconds).flatMap({ Self.lasting($0 * 1000) }) ?? Self.number(milliseconds).flatMap(Self.lasting) {
      self = value
    } else if let instant = instant.flatMap(Self.instant) {
      self = .until(instant)
    } else {
      self = token.flatMap(Self.claimed) ?? .unknown
    }
  }

  private static func number(_ value: JSONTree?) -> Double? {
    value?.scalarText.flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
  }

  private static func lasting(_ milliseconds: Double) -> TokenLifetime? {
    milliseconds > 0 ? .lasts(milliseconds: Int64(min(milliseconds, longest).rounded(.down))) : nil
  }

  private static func instant(_ value: JSONTree) -> Timestamp? {
    guard let text = value.scalarText else { return nil }
    if let number = Double(text) { return number > 0 ? Timestamp(sinceEpoch: number) : nil }
    return Timestamp(parsing: text) ?? HTTPDate.parse(text).map { Timestamp(milliseconds: $0 * 1000) }
  }

  /// The lifetime in the claims of a JWT (RFC 7519 §4.1.4, §4.1.6); nil for another text, even if it begins like one.
  private static func claimed(_ token: String) -> TokenLifetime? {
    guard let token = WebToken(token), token.header["alg"]?.kind == .string, let end = token.claims["exp"]?.double else {
      return nil
    }
    if let start = token.claims["iat"]?.double, let lifetime = lasting((end - start) * 1000) { return lifetime }
    // Seconds by definition, even if the number is small or large.
    let milliseconds = (end * 1000).rounded()
    return Int64(exactly: milliseconds).map { .until(Timestamp(milliseconds: $0)) }
  }

  /// The fields of the contract's response with the same lifetime; whole seconds, at least one.
  func members(_ prefix: String) -> [JSONTree.Member] {
    switch self {
    case .lasts(let milliseconds): [JSONTree.Member("\(prefix)expires_in", .number(max(milliseconds / 1000, 1)))]
    case .until(let instant): [JSONTree.Member("\(prefix)expires_at", .string(instant.text))]
    case .unknown: []
    }
  }
}
