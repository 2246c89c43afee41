import Domain
import HTTPTypes
import RPC
import Support
import Testing

@testable import Client

/// The cache by itself: which response matches which call, and what is in memory.
@Suite(.timeLimit(.minutes(1)))
struct HTTPCacheTests {
  private let time = DrivenTime()

  private func cache(memoryLimit: Int = HTTPCache.standardLimit) -> HTTPCache {
    HTTPCache(configuration: ClientHarness.configuration, disk: nil, time: time.time, memoryLimit: memoryLimit)
  }

  private func ticket(
    _ cache: HTTPCache, _ fields: HTTPFields = [:], profile: String = "p", needsSession: Bool = false
  ) throws -> CacheTicket? {
    let call = try Call(CueEndpoints.GetCues(profileID: profile), body: NoBody(), now: time.now)
    return cache.ticket(for: call, fields: fields, needsSession: needsSession)
  }

  private func entry(_ cache: HTTPCache, _ headers: HTTPFields = [:], request: HTTPFields = [:], bytes: Int = 0) throws
    -> CacheEntry
  {
    try #require(
      CacheEntry(
        storing: TransportResponse(status: 200, headers: headers, body: [UInt8](repeating: 1, count: bytes)), request: request,
        times: CacheTimes(sentAt: time.now, receivedAt: time.now, receivedWall: 0), allowsHeuristic: false))
  }

  @Test func answerThatVariesFitsEqualRequestsAlone() async throws {
    let cache = cache()
    let german: HTTPFields = [.accept: "application/json", .userAgent: "a"]
    let mine = try #require(try ticket(cache, german))
    cache.store(try entry(cache, [.vary: "User-Agent"], request: german), for: mine)
    #expect(await cache.entry(for: mine) != nil)
    let other = try #require(try ticket(cache, [.accept: "application/json", .userAgent: "b"]))
    #expect(other.key == mine.key)
    #expect(await cache.entry(for: other) == nil)
  }

  @Test func languagesHaveAnswersOfTheirOwn() async throws {
    let cache = cache()
    let german = try #require(try ticket(cache, [.acceptLanguage: "de"]))
    let polish = try #require(try ticket(cache, [.acceptLanguage: "pl"]))
    cache.store(try entry(cache, [.vary: "Accept-Language"], request: [.acceptLanguage: "de"], bytes: 1), for: german)
    cache.store(try entry(cache, [.vary: "Accept-Language"], request: [.acceptLanguage: "pl"], bytes: 2), for: polish)
    #expect(await cache.entry(for: german)?.body.count == 1)
    #expect(await cache.entry(for: polish)?.body.count == 2)
  }

  @Test func memoryIsBoundedByBytes() async throws {
    let cache = cache(memoryLimit: 5000)
    let tickets = try (0..<5).map { try #require(try ticket(cache, profile: "\($0)")) }
    for ticket in tickets { cache.store(try entry(cache, bytes: 1000), for: ticket) }
    #expect(await cache.entry(for: tickets[0]) == nil)
    for ticket in tickets.dropFirst(2) { #expect(await cache.entry(for: ticket) != nil) }
  }

  @Test func sessionsAnswersAreApartFromThoseThatNeedNone() async throws {
    let cache = cache()
    #expect(try ticket(cache, needsSession: true) == nil)
    cache.sessionChanged(.loggedIn(epoch: 1, sessionID: "s"))
    let own = try #require(try ticket(cache, needsSession: true))
    let open = try #require(try ticket(cache))
    cache.store(try entry(cache), for: own)
    #expect(await cache.entry(for: open) == nil)
    cache.store(try entry(cache), for: open)
    cache.sessionChanged(.ended)
    #expect(await cache.entry(for: own) == nil)
    // The configuration goes too, but one that is being fetched can be stored.
    #expect(await cache.entry(for: open) == nil)
    #expect(!cache.isStillValid(own))
    #expect(cache.isStillValid(open))
  }

  @Test func sameSessionOfALaterLoginIsAnother() async throws {
    let cache = cache()
    cache.sessionChanged(.loggedIn(epoch: 1, sessionID: "s"))
    let before = try #require(try ticket(cache, needsSession: true))
    cache.sessionChanged(.loggedIn(epoch: 2, sessionID: "s"))
    let after = try #require(try ticket(cache, needsSession: true))
    #expect(before.key == after.key)
    cache.store(try entry(cache), for: before)
    #expect(await cache.entry(for: after) == nil)
  }

  @Test func closedCacheTakesAndGivesNothing() async throws {
    let cache = cache()
    cache.sessionChanged(.loggedIn(epoch: 1, sessionID: "s"))
    let own = try #require(try ticket(cache, needsSession: true))
    cache.sessionChanged(.closed)
    cache.store(try entry(cache), for: own)
    #expect(await cache.entry(for: own) == nil)
    #expect(try ticket(cache) == nil)
    cache.sessionChanged(.loggedIn(epoch: 2, sessionID: "s"))
    #expect(try ticket(cache, needsSession: true) == nil)
  }
}
