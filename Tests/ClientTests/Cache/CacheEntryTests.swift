import Domain
import HTTPTypes
import Testing

@testable import Client

/// What is stored, how it is revalidated, and what a 304 changes (RFC 9111 §3, §4.1, §4.3).
struct CacheEntryTests {
  private let times = CacheTimes(receivedWall: 1_795_262_400, delay: 0.5)
  private let request: HTTPFields = [.accept: "application/json", .authorization: "Bearer a"]

  private func stored(_ headers: HTTPFields, status: Int = 200, request: HTTPFields? = nil) -> CacheEntry? {
    CacheEntry(
      storing: TransportResponse(status: status, headers: headers, body: [1, 2]), request: request ?? self.request, times: times,
      allowsHeuristic: false)
  }

  @Test func privateAnswersOfAnAuthorizedCallAreStored() {
    #expect(stored([.cacheControl: "private, no-cache"]) != nil)
    #expect(stored([:]) != nil)
  }

  @Test(arguments: [201, 203, 204, 206, 301, 404, 500])
  func onlyAWholeAnswerIsStored(status: Int) { #expect(stored([:], status: status) == nil) }

  @Test(arguments: ["*", "Accept, *", " * ", "X-Request-ID", "x-nonce", "X-Signature", "Idempotency-Key", "a b"])
  func answersThatFitNobodyElseAreNotStored(vary: String) { #expect(stored([.vary: vary]) == nil) }

  @Test func selectingFieldsMustMatch() throws {
    let entry = try #require(stored([.vary: "Accept, Origin,authorization"]))
    #expect(entry.varied == [VariedField(name: "accept", value: "application/json"), VariedField(name: "origin", value: nil)])
    func fits(_ fields: HTTPFields) -> Bool { entry.varied.allSatisfy { $0.matches(fields) } }
    #expect(fits(request))
    #expect(fits([.accept: " application/json "]))
    #expect(!fits([.accept: "text/html"]))
    #expect(!fits([:]))
    #expect(!fits([.accept: "application/json", .origin: "https://x"]))
    // The token changes with every refresh, the session does not.
    #expect(fits([.accept: "application/json", .authorization: "Bearer b"]))
  }

  @Test func fieldsOfTheConnectionAndCookiesAreNotStored() throws {
    var headers: HTTPFields = [.connection: "close, X-Hop", .setCookie: "a=b", .eTag: "\"1\"", .contentType: "application/json"]
    headers[try #require(HTTPField.Name("X-Hop"))] = "1"
    headers[try #require(HTTPField.Name("Keep-Alive"))] = "5"
    let entry = try #require(stored(headers))
    #expect(Set(entry.headers.map(\.name.canonicalName)) == ["etag", "content-type"])
  }

  @Test func bothValidatorsAreSentWhereThereAreBoth() throws {
    let entry = try #require(stored([.eTag: "W/\"1\"", .lastModified: "Sat, 21 Nov 2026 12:00:00 GMT"]))
    #expect(entry.conditions == [.ifNoneMatch: "W/\"1\"", .ifModifiedSince: "Sat, 21 Nov 2026 12:00:00 GMT"])
    #expect(try #require(stored([:])).conditions == [:])
  }

  @Test(arguments: ["1", "\"a", "W/1", "\"a\" \"b\"", "\"a b\"", "", "\""])
  func malformedTagIsNone(tag: String) throws { #expect(try #require(stored([.eTag: tag])).conditions == [:]) }

  @Test func confirmationBringsItsFieldsAndLeavesTheBodys() throws {
    let entry = try #require(
      stored([
        .eTag: "\"1\"", .cacheControl: "max-age=1", .age: "7", .contentType: "application/json", .contentLength: "2",
        .contentLanguage: "en",
      ]))
    let later = CacheTimes(receivedWall: 1_795_262_500, delay: 0)
    let response = TransportResponse(
      status: 304,
      headers: [.eTag: "\"1\"", .cacheControl: "max-age=99", .contentLength: "0", .contentEncoding: "gzip", .setCookie: "a=b"])
    let confirmed = try #require(entry.confirmed(by: response, times: later))
    #expect(confirmed.body == [1, 2])
    #expect(confirmed.times == later)
    #expect(confirmed.freshness.lifetime == 99)
    #expect(confirmed.freshness.initialAge == 0)
    #expect(
      Set(confirmed.headers.map { "\($0.name.canonicalName): \($0.value)" })
        == [
          "etag: \"1\"", "cache-control: max-age=99", "content-type: application/json", "content-length: 2",
          "content-language: en",
        ])
  }

  @Test func confirmationIsComparedWeaklyAndMustBeOfThisAnswer() throws {
    let entry = try #require(stored([.eTag: "\"1\""]))
    func isConfirmed(_ headers: HTTPFields) -> Bool {
      entry.confirmed(by: TransportResponse(status: 304, headers: headers), times: times) != nil
    }
    #expect(isConfirmed([:]))
    #expect(isConfirmed([.eTag: "W/\"1\""]))
    #expect(!isConfirmed([.eTag: "\"2\""]))
  }

  @Test func bytesAreTheEntryAgain() throws {
    let entry = try #require(stored([.eTag: "\"é\"", .vary: "Accept, Origin"]))
    let bytes = CacheEntryCoding.encode(entry)
    #expect(CacheEntryCoding.decode(bytes) == entry)
    for count in 0..<bytes.count { #expect(CacheEntryCoding.decode(Array(bytes[..<count])) == nil) }
    #expect(CacheEntryCoding.decode(bytes + [0]) == nil)
  }

  @Test func damagedBytesNeverTrap() throws {
    let bytes = CacheEntryCoding.encode(try #require(stored([.eTag: "\"1\"", .vary: "Accept"])))
    var random = SystemRandomNumberGenerator()
    for index in bytes.indices {
      for value: UInt8 in [0, 1, 0x7f, 0x80, 0xff, .random(in: 0...255, using: &random)] {
        var damaged = bytes
        damaged[index] = value
        if let entry = CacheEntryCoding.decode(damaged) { #expect(entry.byteCount > 0) }
      }
    }
  }
}
