import HTTPTypes
import Text

/// How long a response may be used, computed once from its fields (RFC 9111 §4.2).
struct CacheFreshness: Hashable, Sendable {
  /// For how many seconds it is fresh, counted from its making at the backend.
  let lifetime: Double
  /// How many seconds old it was when it arrived.
  let initialAge: Double
  /// Whether every use needs the backend's consent (`no-cache`).
  let alwaysValidates: Bool
  /// Whether it is of no use once it is stale (`must-revalidate`).
  let forbidsStale: Bool

  /// The longest lifetime that is guessed, in seconds: a day.
  static let longestHeuristicLifetime: Double = 86_400

  /// Computes from a response's fields; `allowsHeuristic` allows a lifetime from `Last-Modified` where the response names none (§4.2.2).
  init(_ headers: HTTPFields, times: CacheTimes, allowsHeuristic: Bool) {
    let control = CacheControl(headers[.cacheControl])
    let now = Int64(min(max(times.receivedWall, 0), 253_402_300_799))
    // Without a date, or with one that cannot be read, it was made when it came (RFC 9110 §6.6.1).
    let date = headers[.date].flatMap { HTTPDate.parse($0, now: now) }.map(Double.init) ?? times.receivedWall
    alwaysValidates = control.noCache
    forbidsStale = control.mustRevalidate
    initialAge = max(times.receivedWall - date, Self.age(headers[.age]) + times.delay, 0)
    if let maxAge = control.maxAge {
      lifetime = Double(maxAge)
    } else if let expires = headers[.expires] {
      // `0` and whatever else is no date lies in the past (§5.3).
      lifetime = HTTPDate.parse(expires, now: now).map { max(Double($0) - date, 0) } ?? 0
    } else if allowsHeuristic, let modified = headers[.lastModified].flatMap({ HTTPDate.parse($0, now: now) }) {
      lifetime = min(max((date - Double(modified)) / 10, 0), Self.longestHeuristicLifetime)
    } else {
      lifetime = 0
    }
  }

  /// The first member of an `Age` field in seconds; 0 where it is missing or no number (§5.1).
  private static func age(_ value: String?) -> Double {
    let first = (value ?? "").split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
    return Double(CacheControl.seconds(CacheControl.trimmed(first)) ?? 0)
  }
}
