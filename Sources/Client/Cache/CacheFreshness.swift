import HTTPTypes
import Text

/// The freshness of a response, computed once from its header fields (RFC 9111 §4.2).
struct CacheFreshness: Hashable, Sendable {
  /// The freshness lifetime in seconds, counted from its creation at the backend.
  let lifetime: Double
  /// Its age on arrival, in seconds.
  let initialAge: Double
  /// Whether every use needs revalidation (`no-cache`).
  let alwaysValidates: Bool
  /// Whether it must not be used stale (`must-revalidate`).
  let forbidsStale: Bool

  /// The longest heuristic lifetime, in seconds: a day.
  static let longestHeuristicLifetime: Double = 86_400

  /// Computes the freshness; `allowsHeuristic` permits a lifetime from `Last-Modified` if the response has no explicit one
  /// (§4.2.2).
  init(_ headers: HTTPFields, times: CacheTimes, allowsHeuristic: Bool) {
    let control = CacheControl(headers[.cacheControl])
    let now = Int64(min(max(times.receivedWall, 0), 253_402_300_799))
    // Without a valid `Date`, it was created when it arrived (RFC 9110 §6.6.1).
    let date = headers[.date].flatMap { HTTPDate.parse($0, now: now) }.map(Double.init) ?? times.receivedWall
    alwaysValidates = control.noCache
    forbidsStale = control.mustRevalidate
    initialAge = max(times.receivedWall - date, Self.age(headers[.age]) + times.delay, 0)
    if let maxAge = control.maxAge {
      lifetime = Double(maxAge)
    } else if let expires = headers[.expires] {
      // An invalid date, especially `0`, is in the past (§5.3).
      lifetime = HTTPDate.parse(expires, now: now).map { max(Double($0) - date, 0) } ?? 0
    } else if allowsHeuristic, let modified = headers[.lastModified].flatMap({ HTTPDate.parse($0, now: now) }) {
      lifetime = min(max((date - Double(modified)) / 10, 0), Self.longestHeuristicLifetime)
    } else {
      lifetime = 0
    }
  }

  /// The first member of an `Age` field in seconds; 0 if it is missing or malformed (§5.1).
  private static func age(_ value: String?) -> Double {
    let first = (value ?? "").split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
    return Double(CacheControl.seconds(first.trimmingBlanks) ?? 0)
  }
}
