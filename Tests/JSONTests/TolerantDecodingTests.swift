import FoundationEssentials
import Testing

@testable import JSON

/// What a tolerant decoding reads, what it notes, and what it cannot do without.
struct TolerantDecodingTests {
  struct Item: Codable, Equatable {
    enum Stage: String, Codable { case new, old }
    var itemID: String
    var stage: Stage
    var count: Int
    var at: Timestamp?

    enum CodingKeys: String, JSONDefaultingKey {
      case itemID = "item_id"
      case stage, count, at

      var fallback: JSONFallback? {
        switch self {
        case .stage: .json(#""new""#)
        case .count: .json("7")
        case .itemID, .at: nil
        }
      }
    }
  }

  struct Account: Codable, Equatable {
    struct Flags: Codable, Equatable {
      var on: Bool
      enum CodingKeys: String, JSONDefaultingKey {
        case on
        var fallback: JSONFallback? { .json("true") }
      }
    }
    var userID: String
    var accountID: String
    var displayName: String?
    var expectedName: String?
    var items: [Item]
    var flags: Flags

    enum CodingKeys: String, JSONDefaultingKey {
      case userID = "user_id"
      case accountID = "account_id"
      case displayName = "display_name"
      case expectedName = "expected_name"
      case items, flags

      var fallback: JSONFallback? {
        switch self {
        case .userID: .member("account_id")
        case .accountID: .member("user_id")
        case .expectedName: .json("null")
        case .flags: .json("{}")
        case .displayName, .items: nil
        }
      }
    }
  }

  private static func read<T: Decodable>(_ type: T.Type, _ text: String) throws -> (value: T, notes: [String]) {
    let notes = JSONReadNotes()
    let value = try JSONCoding.decodeTolerantly(type, from: JSONDocument(parsing: Array(text.utf8)), notes: notes)
    return (
      value, notes.all.map { "\($0.path): \($0.expected ?? "?") / \($0.found)\($0.effect == .defaulted ? "" : ", \($0.effect)")" }
    )
  }

  private static func account(_ members: String) -> String {
    #"{"user_id":"u","account_id":"a","expected_name":"N","items":[],"flags":{"on":true}\#(members)}"#
  }

  @Test func whatKeepsToTheSchemaIsNotNoted() throws {
    #expect(try Self.read(Account.self, Self.account("")).notes == [])
  }

  @Test(arguments: [
    "user_id", "userId", "userID",
  ])
  func membersAreAlsoReadInCamelCase(key: String) throws {
    struct Line: Decodable {
      var userID: String
      var line2: Int?
      enum CodingKeys: String, CodingKey {
        case userID = "user_id"
        case line2 = "line_2"
      }
    }
    let (line, notes) = try Self.read(Line.self, #"{"line2":2,"\#(key)":"u"}"#)
    #expect(line.userID == "u" && line.line2 == 2 && notes == [])
  }

  @Test(arguments: ["userid", "UserId", "user_Id", "userIdx", "useriD", "usedID", "user"])
  func otherSpellingsAreOtherMembers(key: String) throws {
    let text = #"{"\#(key)":"u","account_id":"a","expected_name":"N","items":[],"flags":{"on":true}}"#
    let notes = try Self.read(Account.self, text).notes
    #expect(notes.filter { !$0.hasSuffix("ignored") } == ["user_id: a string / nothing"])
  }

  @Test func theSpellingOfTheKeyComesFirst() throws {
    #expect(try Self.read(Item.self, #"{"itemId":"camel","item_id":"snake","count":1,"stage":"old"}"#).value.itemID == "snake")
  }

  @Test func aStrictDecodingReadsNoneOfThis() throws {
    for text in [
      #"{"itemID":"i","stage":"new","count":1}"#, #"{"item_id":"i","stage":"new","count":"1"}"#, #"{"item_id":"i","count":1}"#,
    ] {
      #expect(throws: JSONError.self) { try JSONCoding.decode(Item.self, from: Array(text.utf8)) }
    }
  }

  @Test(
    arguments: [
      (#"{"a":15}"#, 15), (#"{"a":"15"}"#, 15), (#"{"a":"1.5e1"}"#, 15), (#"{"a":1.5e1}"#, 15), (#"{"a":"-0"}"#, 0),
      (#"{"a":"9007199254740992"}"#, 1 << 53), (#"{"a":"1.5"}"#, nil), (#"{"a":1.5}"#, nil),
      (#"{"a":"9007199254740993"}"#, nil),
      (#"{"a":"1e400"}"#, nil), (#"{"a":""}"#, nil), (#"{"a":" 1"}"#, nil), (#"{"a":"+1"}"#, nil), (#"{"a":"0x1"}"#, nil),
      (#"{"a":"01"}"#, nil), (#"{"a":true}"#, nil), (#"{"a":[1]}"#, nil), (#"{"a":null}"#, nil), ("{}", nil),
    ] as [(String, Int?)])
  func integersAreReadFromText(text: String, expected: Int?) throws {
    struct One: Decodable { var a: Int? }
    #expect(try Self.read(One.self, text).value.a == expected)
  }

  @Test(
    arguments: [
      ("true", true), (#""true""#, true), (#""False""#, false), ("1", true), ("0", false), (#""1""#, true), (#""0""#, false),
      ("2", nil),
      (#""yes""#, nil), ("null", nil), ("[]", nil),
    ] as [(String, Bool?)])
  func flagsAreReadFromTextAndNumbers(text: String, expected: Bool?) throws {
    struct One: Decodable { var a: Bool? }
    #expect(try Self.read(One.self, #"{"a":\#(text)}"#).value.a == expected)
  }

  @Test(arguments: [("42", "42"), ("1.50", "1.50"), (#""42""#, "42"), ("true", nil), ("{}", nil)] as [(String, String?)])
  func textIsReadFromNumbers(text: String, expected: String?) throws {
    struct One: Decodable { var a: String? }
    #expect(try Self.read(One.self, #"{"a":\#(text)}"#).value.a == expected)
  }

  @Test(
    arguments: [
      (#""2026-11-21T12:04:31.482Z""#, 1_795_262_671_482), (#""2026-11-21T12:04:31.482+0000""#, 1_795_262_671_482),
      ("1795262671", 1_795_262_671_000), ("1795262671.482", 1_795_262_671_482), (#""1795262671""#, 1_795_262_671_000),
      ("1795262671482", 1_795_262_671_482), (#""1795262671482""#, 1_795_262_671_482), ("0", 0), ("-1", -1000),
      // The limit between seconds and milliseconds.
      ("99999999999", 99_999_999_999_000), ("100000000000", 100_000_000_000), ("-100000000000", -100_000_000_000),
      ("253402300799999", 253_402_300_799_999), ("253402300800000", nil), ("1e300", nil), (#""soon""#, nil), (#""""#, nil),
      ("true", nil),
    ] as [(String, Int64?)])
  func datesAreReadInEveryForm(text: String, expected: Int64?) throws {
    struct One: Decodable {
      var a: Timestamp?
      var b: Date?
    }
    let one = try Self.read(One.self, #"{"a":\#(text),"b":\#(text)}"#).value
    #expect(one.a?.milliseconds == expected)
    #expect(one.b.map { Timestamp($0).milliseconds } == expected)
  }

  @Test func whatIsConvertedIsNoted() throws {
    let text = Self.account("").replacing(#""a""#, with: "17").replacing(#""on":true"#, with: #""on":"true""#)
    let (account, notes) = try Self.read(Account.self, text)
    #expect(account.accountID == "17" && account.flags.on)
    #expect(notes == ["account_id: a string / a number, converted", "flags.on: a boolean / a string, converted"])
  }

  @Test(arguments: [
    (#""display_name":null"#, ["display_name: a string / null"]),
    (#""display_name":[]"#, ["display_name: a string / an array"]),
    (#""unknown":{"a":[1]}"#, ["unknown: nothing / an object, ignored"]),
    (#""displayName":null"#, ["displayName: a string / null"]),
    (#""dana@example.com":1"#, ["*: nothing / a number, ignored"]),
  ])
  func anOptionalMemberNeverFails(member: String, expected: [String]) throws {
    let (account, notes) = try Self.read(Account.self, Self.account(",\(member)"))
    #expect(account.displayName == nil && notes == expected)
  }

  @Test func anExpectedMemberIsNotedEvenIfTheTypeCanDoWithoutIt() throws {
    for text in ["null", nil] as [String?] {
      let member = text.map { #""expected_name":\#($0),"# } ?? ""
      let (account, notes) = try Self.read(Account.self, Self.account("").replacing(#""expected_name":"N","#, with: member))
      #expect(account.expectedName == nil && notes == ["expected_name: a string / nothing"])
    }
  }

  @Test(arguments: [#""flags":null"#, #""flags":[]"#, #""flags":{}"#, #""flags":{"on":"perhaps"}"#, #""other":1"#])
  func defaultsStandInForWhatIsMissing(member: String) throws {
    let (account, notes) = try Self.read(Account.self, Self.account("").replacing(#""flags":{"on":true}"#, with: member))
    #expect(account.flags.on && notes.filter { !$0.hasSuffix("ignored") }.count == 1)
  }

  @Test func anotherMemberStandsIn() throws {
    let (account, notes) = try Self.read(Account.self, Self.account("").replacing(#""user_id":"u","#, with: ""))
    #expect(account.userID == "a" && account.accountID == "a" && notes == ["user_id: a string / nothing"])
    #expect(try Self.read(Account.self, Self.account("").replacing(#""u""#, with: #""""#)).value.userID == "a")
    let error = #expect(throws: JSONError.self) { try Self.read(Account.self, #"{"items":[],"flags":{}}"#) }
    #expect(error?.path == "user_id" && error?.reason == .missingMember)
    let empty = #expect(throws: JSONError.self) {
      try Self.read(Account.self, #"{"user_id":"","account_id":"","items":[],"flags":{}}"#)
    }
    #expect(empty?.found == "an empty string" && empty?.expected == "a string")
  }

  @Test func elementsThatCannotBeReadAreLeftOut() throws {
    let items =
      #"{"item_id":1,"stage":"old","count":2},{"stage":"old"},3,{"item_id":"","count":1},{"item_id":"d","stage":"odd","count":3}"#
    let (account, notes) = try Self.read(Account.self, Self.account("").replacing("[]", with: "[\(items)]"))
    #expect(account.items.map(\.itemID) == ["1", "d"] && account.items.map(\.stage) == [.old, .new])
    #expect(
      notes == [
        "items.0.item_id: a string / a number, converted", "items.1.item_id: a string / nothing", "items.2: an object / a number",
        "items.3.item_id: a string / an empty string", "items.4.stage: a known value / a string",
      ])
  }

  @Test func aListWithoutAReadableElementFails() throws {
    let error = #expect(throws: JSONError.self) {
      try Self.read(Account.self, Self.account("").replacing("[]", with: #"[{"count":1},2]"#))
    }
    #expect(error?.path == "items.0.item_id" && error?.reason == .missingMember)
  }

  @Test(arguments: ["data", "result", "response", "payload", "tokens"])
  func anEnvelopeIsOpened(name: String) throws {
    #expect(try Self.read(Item.self, #"{"\#(name)":{"item_id":"i","stage":"old","count":1}}"#).value.itemID == "i")
    // With anything beside it, it is a member like others.
    #expect(throws: JSONError.self) { try Self.read(Item.self, #"{"\#(name)":{"item_id":"i"},"more":1}"#) }
  }

  /// To find the path of every mismatch would take minutes here.
  @Test(.timeLimit(.minutes(1))) func aDocumentFullOfMismatchesIsReadInLinearTime() throws {
    let element = #"{"item_id":1,"stage":"odd","count":[],"at":"never"}"#
    let text = "[\(repeatElement(element, count: 10_000).joined(separator: ","))]"
    let (items, notes) = try Self.read([Item].self, text)
    #expect(items.count == 10_000 && notes.count == JSONReadNotes.limit)
    let bad = "[\(repeatElement("{}", count: 10_000).joined(separator: ",")),{\"item_id\":\"i\"}]"
    #expect(try Self.read([Item].self, bad).value.count == 1)
  }

  @Test func notesContainNoValue() throws {
    let notes = try Self.read(
      Account.self, Self.account("").replacing(#""a""#, with: "4711").replacing("true", with: #""hunter2""#)
    ).notes
    #expect(notes.count == 2 && !notes.joined().contains("4711") && !notes.joined().contains("hunter2"))
  }
}
