import HTTPTypes
import Testing
import Wire

@Suite struct ValidatorsTests {
  private let state = Validators(tag: EntityTag(opaque: "a"), modified: 784_111_777, isModifiedStrong: true)
  private let date = "Sun, 06 Nov 1994 08:49:37 GMT"
  private let before = "Sun, 06 Nov 1994 08:49:36 GMT"

  @Test func safeMethodsGet304AndOthers412() {
    #expect(state.verdict(.get, [.ifNoneMatch: "\"a\""], now: 0) == .notModified)
    #expect(state.verdict(.head, [.ifNoneMatch: "\"a\""], now: 0) == .notModified)
    #expect(state.verdict(.put, [.ifNoneMatch: "\"a\""], now: 0) == .failed)
    #expect(state.verdict(.put, [.ifNoneMatch: "\"b\""], now: 0) == .proceed)
    #expect(state.verdict(.put, [.ifModifiedSince: date], now: 0) == .proceed)
    #expect(state.verdict(.put, [.ifMatch: "\"a\""], now: 0) == .proceed)
    #expect(state.verdict(.put, [.ifMatch: "\"b\""], now: 0) == .failed)
  }

  @Test func nothingIsKnownOfAStateWithoutValidators() {
    let bare = Validators(tag: nil, modified: nil)
    #expect(bare.verdict(.get, [.ifMatch: "\"a\""], now: 0) == .failed)
    #expect(bare.verdict(.get, [.ifMatch: "*"], now: 0) == .proceed)
    #expect(bare.verdict(.get, [.ifNoneMatch: "*"], now: 0) == .notModified)
    #expect(bare.verdict(.get, [.ifNoneMatch: "\"a\""], now: 0) == .proceed)
    #expect(bare.verdict(.get, [.ifModifiedSince: date, .ifUnmodifiedSince: before], now: 0) == .proceed)
    #expect(!bare.permitsRange([.ifRange: "\"a\""], now: 0) && !bare.permitsRange([.ifRange: date], now: 0))
    #expect(bare.permitsRange([:], now: 0))
  }

  @Test func weakTagsMatchWeaklyOnly() {
    let weak = Validators(tag: EntityTag(opaque: "a", isWeak: true), modified: nil)
    #expect(weak.verdict(.get, [.ifNoneMatch: "\"a\""], now: 0) == .notModified)
    #expect(weak.verdict(.get, [.ifMatch: "W/\"a\""], now: 0) == .failed)
    #expect(!weak.permitsRange([.ifRange: "W/\"a\""], now: 0))
  }

  @Test func aDatePermitsARangeOnlyWhereItIsStrongAndExact() {
    var state = state
    #expect(state.permitsRange([.ifRange: date], now: 0) && !state.permitsRange([.ifRange: before], now: 0))
    state.isModifiedStrong = false
    #expect(!state.permitsRange([.ifRange: date], now: 0) && state.permitsRange([.ifRange: "\"a\""], now: 0))
  }

  @Test func twoDigitYearsStandByTheClock() {
    let fields: HTTPFields = [.ifModifiedSince: "Sunday, 06-Nov-94 08:49:37 GMT"]
    #expect(state.verdict(.get, fields, now: 1_800_000_000) == .notModified)
    #expect(state.verdict(.get, [.ifModifiedSince: "Sunday, 06-Nov-93 08:49:37 GMT"], now: 1_800_000_000) == .proceed)
  }
}
