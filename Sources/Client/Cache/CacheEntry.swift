package import HTTPTypes
import Text

/// A stored response of status 200 to a GET, with what decides over its use.
package struct CacheEntry: Hashable, Sendable {
  let headers: HTTPFields
  let body: [UInt8]
  /// The request fields that selected it.
  let varied: [VariedField]
  let times: CacheTimes
  /// Whether its lifetime may be guessed where it names none.
  let allowsHeuristic: Bool
  let freshness: CacheFreshness

  /// Puts an entry together from its stored parts.
  init(headers: HTTPFields, body: [UInt8], varied: [VariedField], times: CacheTimes, allowsHeuristic: Bool) {
    self.headers = headers
    self.body = body
    self.varied = varied
    self.times = times
    self.allowsHeuristic = allowsHeuristic
    freshness = CacheFreshness(headers, times: times, allowsHeuristic: allowsHeuristic)
  }

  /// Takes a response to a GET with `request`'s fields; nil where it must not be stored (RFC 9111 §3).
  ///
  /// The cache is one user's own, so `private` and `Authorization` forbid nothing.
  package init?(storing response: TransportResponse, request: HTTPFields, times: CacheTimes, allowsHeuristic: Bool) {
    guard response.status == 200, !CacheControl(response.headers[.cacheControl]).noStore,
      let varied = VariedField.selected(by: response.headers, from: request)
    else { return nil }
    self.init(
      headers: StoredFields.keep(response.headers), body: response.body, varied: varied, times: times,
      allowsHeuristic: allowsHeuristic)
  }

  /// The bytes that it takes, about.
  var byteCount: Int {
    headers.reduce(body.count + 256) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 64 }
  }

  /// Whether it may be used without asking (§4.2): it is younger than its lifetime and needs no consent.
  package func isFresh(at now: CacheInstant) -> Bool {
    guard !freshness.alwaysValidates, let resident = times.residentTime(at: now) else { return false }
    return freshness.lifetime > freshness.initialAge + resident
  }

  /// Whether it may be shown, as kept from before, while the backend cannot be reached (§4.2.4).
  ///
  /// `must-revalidate` forbids it. `no-cache` does not, other than by the letter of §5.2.2.4: an app that works without a
  /// network shows what it has and says so.
  func isUsableOffline(at now: CacheInstant) -> Bool { !freshness.forbidsStale || isFresh(at: now) }

  /// Its age in whole seconds (§4.2.3).
  func age(at now: CacheInstant) -> Int64 {
    Int64(min(max(freshness.initialAge + (times.residentTime(at: now) ?? 0), 0), Double(CacheControl.longest)))
  }

  /// The fields that ask whether it still holds (§4.3.1); empty where it has no validator.
  var conditions: HTTPFields {
    var fields = HTTPFields()
    if let tag = EntityTagText(headers[.eTag]) { fields[.ifNoneMatch] = tag.text }
    if let modified = headers[.lastModified], HTTPDate.parse(modified) != nil {
      fields[.ifModifiedSince] = modified
    }
    return fields
  }

  /// The entry after the backend has confirmed it with a 304 (§4.3.4); nil where the 304 speaks of another one.
  func confirmed(by response: TransportResponse, times: CacheTimes) -> CacheEntry? {
    if let tag = EntityTagText(response.headers[.eTag]) {
      guard let own = EntityTagText(headers[.eTag]), own.opaque == tag.opaque else { return nil }
    }
    return CacheEntry(
      headers: StoredFields.merge(headers, with: response.headers), body: body, varied: varied, times: times,
      allowsHeuristic: allowsHeuristic)
  }

  /// Whether it may go on being stored.
  var isStorable: Bool { !CacheControl(headers[.cacheControl]).noStore }
}

/// An entity tag as it stands in a field (RFC 9110 §8.8.3).
struct EntityTagText: Hashable, Sendable {
  /// The whole tag, with `W/` where it is weak.
  let text: String
  /// The quoted part, by which tags are compared weakly.
  let opaque: Substring

  /// Reads one tag; nil for a missing or malformed one.
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
