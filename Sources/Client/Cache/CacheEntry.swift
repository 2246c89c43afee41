package import HTTPTypes
import Text

/// A stored 200 response to a GET, with the data that decides whether it may be used.
package struct CacheEntry: Hashable, Sendable {
  let headers: HTTPFields
  let body: [UInt8]
  /// The request fields that selected it (`Vary`).
  let varied: [VariedField]
  let times: CacheTimes
  /// Whether it may get a heuristic lifetime if it has no explicit one.
  let allowsHeuristic: Bool
  let freshness: CacheFreshness

  /// Creates an entry from its stored parts.
  init(headers: HTTPFields, body: [UInt8], varied: [VariedField], times: CacheTimes, allowsHeuristic: Bool) {
    self.headers = headers
    self.body = body
    self.varied = varied
    self.times = times
    self.allowsHeuristic = allowsHeuristic
    freshness = CacheFreshness(headers, times: times, allowsHeuristic: allowsHeuristic)
  }

  /// Creates an entry for a response to a GET with `request`'s fields; nil if it must not be stored (RFC 9111 §3).
  ///
  /// The cache is private to one user, so `private` and `Authorization` forbid nothing.
  package init?(storing response: TransportResponse, request: HTTPFields, times: CacheTimes, allowsHeuristic: Bool) {
    guard response.status == 200, !CacheControl(response.headers[.cacheControl]).noStore,
      let varied = VariedField.selected(by: response.headers, from: request)
    else { return nil }
    self.init(
      headers: StoredFields.keep(response.headers), body: response.body, varied: varied, times: times,
      allowsHeuristic: allowsHeuristic)
  }

  /// Creates an entry for a response that a backend file converted; nil if the response must not be stored.
  ///
  /// The session's account varies with no header field, not even with the token.
  init?(keeping body: [UInt8], of response: TransportResponse, times: CacheTimes) {
    guard !CacheControl(response.headers[.cacheControl]).noStore else { return nil }
    var headers = HTTPFields()
    headers[.contentType] = "application/json"
    for name in [HTTPField.Name.cacheControl, .date, .age, .expires] { headers[name] = response.headers[name] }
    self.init(headers: headers, body: body, varied: [], times: times, allowsHeuristic: false)
  }

  /// Its approximate size in bytes.
  var byteCount: Int {
    headers.reduce(body.count + 256) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 64 }
  }

  /// Whether it may be used without revalidation (§4.2).
  package func isFresh(at now: CacheInstant) -> Bool {
    guard !freshness.alwaysValidates, let resident = times.residentTime(at: now) else { return false }
    return freshness.lifetime > freshness.initialAge + resident
  }

  /// Whether it may be used stale while the backend is unreachable (§4.2.4).
  ///
  /// `must-revalidate` forbids it. `no-cache` does not, which deviates from §5.2.2.4: an app that works offline shows its stored
  /// data as such.
  func isUsableOffline(at now: CacheInstant) -> Bool { !freshness.forbidsStale || isFresh(at: now) }

  /// Its age in whole seconds (§4.2.3).
  func age(at now: CacheInstant) -> Int64 {
    Int64(min(max(freshness.initialAge + (times.residentTime(at: now) ?? 0), 0), Double(CacheControl.longest)))
  }

  /// The conditional header fields that revalidate it (§4.3.1); empty if it has no validator.
  var conditions: HTTPFields {
    var fields = HTTPFields()
    if let tag = EntityTagText(headers[.eTag]) { fields[.ifNoneMatch] = tag.text }
    if let modified = headers[.lastModified], HTTPDate.parse(modified) != nil {
      fields[.ifModifiedSince] = modified
    }
    return fields
  }

  /// The entry after a 304 has confirmed it (§4.3.4); nil if the 304 is about another response.
  func confirmed(by response: TransportResponse, times: CacheTimes) -> CacheEntry? {
    if let tag = EntityTagText(response.headers[.eTag]) {
      guard let own = EntityTagText(headers[.eTag]), own.opaque == tag.opaque else { return nil }
    }
    return CacheEntry(
      headers: StoredFields.merge(headers, with: response.headers), body: body, varied: varied, times: times,
      allowsHeuristic: allowsHeuristic)
  }

  /// Whether it may still be stored.
  var isStorable: Bool { !CacheControl(headers[.cacheControl]).noStore }
}

/// An entity tag (RFC 9110 §8.8.3).
struct EntityTagText: Hashable, Sendable {
  /// The whole tag, with `W/` if it is weak.
  let text: String
  /// The quoted part, which a weak comparison uses.
  let opaque: Substring

  /// Parses one tag; nil for a missing or malformed one.
  init?(_ value: String?) {
    guard let value else { return nil }
    let opaque = value.hasPrefix("W/") ? value.dropFirst(2) : value[...]
    let bytes = opaque.utf8
    guard bytes.count >= 2, bytes.first == 0x22, bytes.last == 0x22,
      bytes.dropFirst().dropLast().allSatisfy({ $0 == 0x21 || (0x23...0x7e).contains($0) || $0 >= 0x80 })
    else { return nil }
    text = value
    self.opaque = opaque
  }
}

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
  private static let longestHeuristicLifetime: Double = 86_400

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

/// Which header fields are stored (RFC 9111 §3.1) and updated by a 304 (§3.2).
enum StoredFields {
  /// Connection fields, and cookies, which this client does not use and which may be secret.
  private static let dropped: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    "te",
    "transfer-encoding", "upgrade", "set-cookie",
  ]

  /// Fields that describe the stored body: a 304 has none, so its values do not apply.
  private static let ofBody: Set<String> = ["content-length", "content-encoding", "content-range"]

  /// The fields to store.
  static func keep(_ fields: HTTPFields) -> HTTPFields {
    let named = Set(
      (fields[.connection] ?? "").split(separator: ",").map { $0.trimmingBlanks.lowercased() })
    var kept = HTTPFields()
    for field in fields where !dropped.contains(field.name.canonicalName) && !named.contains(field.name.canonicalName) {
      kept.append(field)
    }
    return kept
  }

  /// The stored fields, replaced by those of the same name that a 304 brings.
  static func merge(_ stored: HTTPFields, with fresh: HTTPFields) -> HTTPFields {
    let changes = keep(fresh).filter { !ofBody.contains($0.name.canonicalName) }
    let names = Set(changes.map(\.name))
    // A 304 without `Age` is new; the stored age would count twice.
    let merged = stored.filter { !names.contains($0.name) && $0.name != .age } + changes
    // Each 304 may bring other names.
    return HTTPFields(merged.suffix(TransportConfiguration.headerLineLimit))
  }
}
