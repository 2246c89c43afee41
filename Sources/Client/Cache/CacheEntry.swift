package import HTTPTypes
import Text

/// A stored 200 response to a GET, and what decides whether it may be used.
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
  /// `must-revalidate` forbids it. `no-cache` does not, which deviates from §5.2.2.4: an app that works offline shows what it
  /// has and says so.
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
