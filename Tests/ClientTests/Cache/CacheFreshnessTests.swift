import Domain
import HTTPTypes
import Support
import Testing

@testable import Client

/// Age and lifetime (RFC 9111 §4.2), and what may be used when.
struct CacheFreshnessTests {
  /// 2026-11-21T12:00:00Z in Unix seconds.
  private static let noon: Double = 1_795_262_400
  private let start = ContinuousClock().now

  /// Whether a response that arrived at noon is fresh after `seconds`.
  private func isFresh(
    _ headers: HTTPFields, after seconds: Double, delay: Double = 0, allowsHeuristic: Bool = false, wallStep: Double = 0
  ) -> Bool {
    entry(headers, delay: delay, allowsHeuristic: allowsHeuristic).isFresh(
      at: CacheInstant(wall: Self.noon + seconds + wallStep, monotonic: start + .milliseconds(Int64(seconds * 1000))))
  }

  private func entry(_ headers: HTTPFields, delay: Double = 0, allowsHeuristic: Bool = false) -> CacheEntry {
    CacheEntry(
      headers: headers, body: [], varied: [],
      times: CacheTimes(sentAt: start - .milliseconds(Int64(delay * 1000)), receivedAt: start, receivedWall: Self.noon),
      allowsHeuristic: allowsHeuristic)
  }

  private static let dates = (
    noon: "Sat, 21 Nov 2026 12:00:00 GMT", minuteBefore: "Sat, 21 Nov 2026 11:59:00 GMT",
    minuteAfter: "Sat, 21 Nov 2026 12:01:00 GMT", hourBefore: "Sat, 21 Nov 2026 11:00:00 GMT"
  )

  @Test func maxAgeIsTheLifetimeAndItsEndIsStale() {
    #expect(isFresh([.cacheControl: "max-age=60"], after: 59.9))
    #expect(!isFresh([.cacheControl: "max-age=60"], after: 60))
    #expect(!isFresh([.cacheControl: "max-age=0"], after: 0))
  }

  @Test func nothingSaidIsStaleAtOnce() {
    #expect(!isFresh([:], after: 0))
    #expect(!isFresh([.eTag: "\"1\""], after: 0))
  }

  @Test func ageOfSharedCachesCounts() {
    let headers: HTTPFields = [.cacheControl: "max-age=60", .age: "50"]
    #expect(isFresh(headers, after: 9))
    #expect(!isFresh(headers, after: 10))
    #expect(entry(headers).age(at: CacheInstant(wall: Self.noon + 5, monotonic: start + .seconds(5))) == 55)
    // The transfer time is added, and the first of several ages counts.
    #expect(!isFresh([.cacheControl: "max-age=60", .age: "50"], after: 5, delay: 6))
    #expect(isFresh([.cacheControl: "max-age=60", .age: "10, 59"], after: 9))
    // An invalid age is ignored.
    #expect(isFresh([.cacheControl: "max-age=60", .age: "-3"], after: 9))
  }

  @Test func dateThatLiesBackMakesOlderAndOneThatLiesAheadDoesNotMakeYounger() {
    let late: HTTPFields = [.cacheControl: "max-age=90", .date: Self.dates.minuteBefore]
    #expect(isFresh(late, after: 29))
    #expect(!isFresh(late, after: 30))
    let early: HTTPFields = [.cacheControl: "max-age=90", .date: Self.dates.minuteAfter]
    #expect(isFresh(early, after: 89))
    #expect(!isFresh(early, after: 90))
  }

  @Test func theGreaterOfDateAndAgeCounts() {
    let headers: HTTPFields = [.cacheControl: "max-age=100", .date: Self.dates.minuteBefore, .age: "70"]
    #expect(isFresh(headers, after: 29))
    #expect(!isFresh(headers, after: 30))
  }

  @Test func expiresCountsFromTheDateAndYieldsToMaxAge() {
    let headers: HTTPFields = [.expires: Self.dates.minuteAfter, .date: Self.dates.noon]
    #expect(isFresh(headers, after: 59))
    #expect(!isFresh(headers, after: 60))
    var both = headers
    both[.cacheControl] = "max-age=10"
    #expect(!isFresh(both, after: 11))
  }

  @Test(arguments: ["0", "-1", "soon", "", "Sat, 21 Nov 2026 11:59:00 GMT"])
  func expiryThatIsPastOrNoDateIsStale(expires: String) {
    #expect(!isFresh([.expires: expires, .date: Self.dates.noon], after: 0))
  }

  @Test func lifetimeIsGuessedOnlyWhereAllowed() {
    let headers: HTTPFields = [.lastModified: Self.dates.hourBefore, .date: Self.dates.noon]
    #expect(isFresh(headers, after: 359, allowsHeuristic: true))
    #expect(!isFresh(headers, after: 360, allowsHeuristic: true))
    #expect(!isFresh(headers, after: 0, allowsHeuristic: false))
    // A tenth of ten years is cut to a day.
    let old: HTTPFields = [.lastModified: "Mon, 21 Nov 2016 12:00:00 GMT", .date: Self.dates.noon]
    #expect(isFresh(old, after: 86_399, allowsHeuristic: true))
    #expect(!isFresh(old, after: 86_400, allowsHeuristic: true))
  }

  @Test func noCacheAlwaysAsksAndIsShownWithoutTheBackend() {
    let headers: HTTPFields = [.cacheControl: "private, no-cache, max-age=60"]
    #expect(!isFresh(headers, after: 0))
    #expect(entry(headers).isUsableOffline(at: CacheInstant(wall: Self.noon, monotonic: start)))
  }

  @Test func mustRevalidateForbidsStaleOnly() {
    let entry = entry([.cacheControl: "max-age=60, must-revalidate"])
    #expect(entry.isUsableOffline(at: CacheInstant(wall: Self.noon + 59, monotonic: start + .seconds(59))))
    #expect(!entry.isUsableOffline(at: CacheInstant(wall: Self.noon + 60, monotonic: start + .seconds(60))))
  }

  @Test func clockThatWasSetMakesNothingYounger() {
    let headers: HTTPFields = [.cacheControl: "max-age=60"]
    // Set back by an hour: the monotonic clock of this process counts.
    #expect(isFresh(headers, after: 59, wallStep: -3600))
    #expect(!isFresh(headers, after: 61, wallStep: -3600))
    // Set forward: older.
    #expect(!isFresh(headers, after: 1, wallStep: 3600))
    // Stored by an earlier process, and the clock was set back since: the age is unknown.
    let kept = CacheEntry(
      headers: headers, body: [], varied: [], times: CacheTimes(receivedWall: Self.noon, delay: 0), allowsHeuristic: false)
    #expect(kept.isFresh(at: CacheInstant(wall: Self.noon + 59, monotonic: start)))
    #expect(!kept.isFresh(at: CacheInstant(wall: Self.noon - 1, monotonic: start)))
  }

  @Test(arguments: [
    ("max-age=10", 10), ("MAX-AGE=10", 10), ("max-age=\"10\"", 10), (" max-age = 10 ", 10), ("max-age=20, max-age=10", 10),
    ("max-age=x", 0), ("max-age", 0), ("max-age=", 0), ("max-age=-1", 0), ("max-age=1.5", 0),
    ("max-age=99999999999999999999999", 2_147_483_648), ("s-maxage=5", nil), ("x=\"max-age=5\"", nil), (nil, nil),
    ("x=\"a, max-age=5\", max-age=7", 7), ("x=\"\\\", max-age=5\", max-age=8", 8), (",,", nil),
  ])
  func maxAgeIsReadInEveryForm(text: String?, seconds: Int64?) {
    #expect(CacheControl(text).maxAge == seconds)
  }

  @Test(arguments: ["no-store", "NO-STORE", "max-age=5,no-store", "private , no-store"])
  func noStoreIsFound(text: String) { #expect(CacheControl(text).noStore) }

  @Test func namedFieldsCountAsAll() {
    #expect(CacheControl("no-cache=\"x-user\"").noCache)
    #expect(!CacheControl("x=\"no-cache\"").noCache)
  }
}
