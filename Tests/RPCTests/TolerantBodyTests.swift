import FoundationEssentials
import JSON
import RPC
import Testing

/// What the client can and cannot do without in each answer.
@Suite struct TolerantBodyTests {
  /// The members that each answer needs; either id of an account is enough.
  private static let needed: [String: Set<String>] = [
    "POST /rpc/login_with_magic_token": ["access_token"],
    "POST /rpc/login_with_code": ["access_token"],
    "POST /rpc/refresh_tokens": ["access_token"],
    "POST /app/api/refresh-token": ["access_token"],
    "POST /app/api/call/start": ["call_id"],
    "POST /rpc/get_or_create_account_profile": ["profile_id"],
    "POST /rpc/set_active_profile": ["profile_id"],
    "GET /rpc/get_cues": ["cues", "cues.0", "cues.0.cue_id"],
    "POST /rpc/shuffle_cues": ["cues", "cues.0", "cues.0.cue_id"],
    "POST /rpc/update_cue_stage": ["cue_id"],
  ]

  /// Every change of any single member: gone, null, of four other kinds, empty, and renamed to camelCase.
  @Test(arguments: EndpointShapeTests.shapes.filter { !$0.response.isEmpty })
  func onlyWhatNothingCanBeDoneWithoutIsNeeded(shape: EndpointShapeTests.Shape) throws {
    let needed = Self.needed[shape.line] ?? []
    let tree = try Tree(JSONDocument(parsing: Array(shape.response.utf8)).root)
    var changes = 0
    for path in tree.paths {
      for change in Tree.changes {
        let text = tree.changed(at: path, change)
        let isReadable = try Self.isReadable(text, as: shape.endpoint)
        let name = path.joined(separator: ".")
        let isHarmless = !needed.contains(name) || change.keepsMeaning(at: name)
        #expect(isReadable == isHarmless, "\(change) of \(name): \(text)")
        changes += 1
      }
    }
    #expect(changes > 0)
  }

  @Test(arguments: EndpointShapeTests.shapes.filter { !$0.response.isEmpty })
  func everyAnswerIsTheSameInCamelCase(shape: EndpointShapeTests.Shape) throws {
    let tree = try Tree(JSONDocument(parsing: Array(shape.response.utf8)).root)
    func check<E: APIEndpoint>(_ type: E.Type) throws where E.ResponseBody: Codable {
      let notes = JSONReadNotes()
      let camel = try JSONCoding.decodeTolerantly(
        E.ResponseBody.self, from: JSONDocument(parsing: Array(tree.inCamelCase.text.utf8)), notes: notes)
      #expect(String(decoding: try JSONCoding.encode(camel), as: UTF8.self) == shape.response)
      #expect(notes.all.isEmpty)
    }
    try check(shape.endpoint)
  }

  @Test func anAccountNeedsOneId() throws {
    for id in [#""user_id":"i""#, #""account_id":"i""#, #""userId":42"#, #""accountID":"i","user_id":null"#] {
      let me = try Self.read(MeBody.self, "{\(id)}")
      #expect(me.userID == me.accountID && !me.userID.isEmpty && me.createdAt == nil && me.roles == nil && me.profiles == nil)
    }
    for text in ["{}", #"{"user_id":null}"#, #"{"user_id":"","account_id":""}"#, #"{"user_id":{},"account_id":[]}"#, "[]", "1"] {
      #expect(throws: JSONError.self) { try Self.read(MeBody.self, text) }
    }
  }

  @Test func oneUnreadableProfileOrCueIsLeftOut() throws {
    let me = try Self.read(
      MeBody.self, #"{"user_id":"u","account_id":"a","profiles":[{"profile_id":"p"},{"language_code":"de"},"x"]}"#)
    #expect(me.profiles?.map(\.profileID) == ["p"] && me.profiles?.first?.languageCode == "und")
    let list = try Self.read(CueListBody.self, #"{"cues":[{"cue_id":"a","stage":"forgotten"},{"prompt":"no id"},null]}"#)
    #expect(list.cues.map(\.cueID) == ["a"] && list.cues.first?.stage == .new)
  }

  @Test func receiptsHaveDefaults() throws {
    #expect(try Self.read(LoginMessageReceipt.self, "{}") == LoginMessageReceipt(cooldownSeconds: 0, expiresInSeconds: 600))
    #expect(try Self.read(DeletionReceipt.self, "{}") == DeletionReceipt(scheduledFor: nil))
  }

  private static func read<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
    try JSONCoding.decodeTolerantly(type, from: JSONDocument(parsing: Array(text.utf8)), notes: JSONReadNotes())
  }

  private static func isReadable(_ text: String, as endpoint: any APIEndpoint.Type) throws -> Bool {
    func read<E: APIEndpoint>(_ type: E.Type) -> Bool { (try? Self.read(E.ResponseBody.self, text)) != nil }
    return read(endpoint)
  }
}

/// A document that can be changed at a place.
private indirect enum Tree {
  case leaf(String)
  case object([(key: String, value: Tree)])
  case array([Tree])

  enum Change: CustomStringConvertible {
    case removed, renamed
    case replaced(String)

    var description: String {
      switch self {
      case .removed: "removal"
      case .renamed: "renaming"
      case .replaced(let text): "replacement by \(text)"
      }
    }

    /// Whether a member that is needed can still be read: by its other name, or an id as a number.
    func keepsMeaning(at name: String) -> Bool {
      switch self {
      case .renamed: true
      case .replaced("7"): name != "cues" && name != "cues.0"
      // A list without elements is a list.
      case .removed: name == "cues.0"
      case .replaced("[]"): name == "cues"
      default: false
      }
    }
  }

  static let changes: [Change] = [.removed, .renamed] + ["null", "7", "true", #""""#, "[]", "{}"].map { .replaced($0) }

  init(_ node: JSONNode) {
    self =
      switch node.kind {
      case .object: .object(node.members.map { ($0.key, Tree($0.value)) })
      case .array: .array(node.elements.map(Tree.init))
      default: .leaf(node.sourceText)
      }
  }

  /// The place of every value within the root.
  var paths: [[String]] {
    switch self {
    case .leaf: []
    case .object(let members): members.flatMap { member in [[member.key]] + member.value.paths.map { [member.key] + $0 } }
    case .array(let elements):
      elements.enumerated().flatMap { index, element in
        [["\(index)"]] + element.paths.map { ["\(index)"] + $0 }
      }
    }
  }

  var text: String {
    switch self {
    case .leaf(let text): text
    case .object(let members): "{\(members.map { "\"\($0.key)\":\($0.value.text)" }.joined(separator: ","))}"
    case .array(let elements): "[\(elements.map(\.text).joined(separator: ","))]"
    }
  }

  var inCamelCase: Tree {
    switch self {
    case .leaf: self
    case .object(let members): .object(members.map { (Self.camelCase($0.key), $0.value.inCamelCase) })
    case .array(let elements): .array(elements.map(\.inCamelCase))
    }
  }

  func changed(at path: [String], _ change: Change) -> String { changed(at: path[...], change)?.text ?? "" }

  private func changed(at path: ArraySlice<String>, _ change: Change) -> Tree? {
    guard let key = path.first else {
      return switch change {
      case .removed: nil
      case .renamed: self
      case .replaced(let text): .leaf(text)
      }
    }
    let rest = path.dropFirst()
    switch self {
    case .leaf: return self
    case .object(let members):
      return .object(
        members.compactMap { member in
          guard member.key == key else { return member }
          let value = member.value.changed(at: rest, change)
          if case .renamed = change, rest.isEmpty { return value.map { (Self.camelCase(key), $0) } }
          return value.map { (key, $0) }
        })
    case .array(let elements):
      return .array(elements.enumerated().compactMap { "\($0)" == key ? $1.changed(at: rest, change) : $1 })
    }
  }

  private static func camelCase(_ name: String) -> String {
    let words = name.split(separator: "_")
    return String(words[0]) + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}
