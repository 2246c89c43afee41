import JSON
import Testing

@testable import OpenAPI

@Suite struct SchemaTests {
  struct Inner: Codable {
    let someID: String
    let count: UInt64?
  }

  enum Word: String, Codable, CaseIterable { case one, two }

  struct Body: Codable {
    let name: String
    let isOn: Bool
    let ratio: Double?
    let at: Timestamp
    let word: Word
    let words: [Word]?
    let inner: Inner
    let list: [Inner]
    let pairs: [[String]]

    enum CodingKeys: String, CodingKey {
      case name, ratio, at, word, words, inner, list, pairs
      case isOn = "is_on"
    }
  }

  struct Shared: Codable, SchemaProvider {
    let id: String
    static var schema: Schema { .recorded(from: Self.self).refined(["id": .uuid]).named("Thing") }
  }

  private func text(_ schema: Schema) -> String { String(decoding: schema.json.sorted.bytes, as: UTF8.self) }

  @Test func membersAreThoseThatTheTypeHas() throws {
    guard case .object(let object) = Schema.of(Body.self) else {
      Issue.record("not an object")
      return
    }
    #expect(object.isClosed)
    #expect(object.required == ["name", "is_on", "at", "word", "inner", "list", "pairs"])
    #expect(object.properties["name"] == .string && object.properties["is_on"] == .boolean)
    #expect(object.properties["ratio"] == .number && object.properties["at"] == .instant)
    #expect(object.properties["pairs"] == .array(.array(.string)))
    let word = try #require(object.properties["word"])
    #expect(text(word) == #"{"enum":["one","two"],"type":"string"}"#)
    #expect(object.properties["words"] == .array(word))
    let inner = try #require(object.properties["inner"])
    #expect(
      text(inner)
        == #"{"additionalProperties":false,"properties":{"count":{"minimum":0,"type":"integer"},"some_id":{"type":"string"}},"required":["some_id"],"type":"object"}"#
    )
    #expect(object.properties["list"] == .array(inner))
  }

  @Test func requestsTakeFurtherMembersAtEveryDepth() throws {
    #expect(!(text(.request(Body.self)).contains("additionalProperties")))
  }

  @Test func providedSchemasAreUsedWhereverTheTypeStands() throws {
    struct Holder: Codable { let things: [Shared] }
    #expect(text(.of([Shared].self)) == ##"{"items":{"$ref":"#/components/schemas/Thing"},"type":"array"}"##)
    #expect(text(.of(Holder.self)).contains(##""things":{"items":{"$ref":"#/components/schemas/Thing"}"##))
  }

  @Test func refinementsOfMissingOrUnfitMembersAreFaults() {
    func isInvalid(_ schema: Schema) -> Bool {
      var found = false
      schema.forEach { if case .invalid = $0 { found = true } }
      return found
    }
    #expect(
      !isInvalid(Schema.of(Body.self).refined(["list.some_id": .uuid, "inner.count": .minimum(1), "pairs[][]": .length(1...2)])))
    #expect(isInvalid(Schema.of(Body.self).refined(["nmae": .length(1...2)])))
    #expect(isInvalid(Schema.of(Body.self).refined(["list.nmae": .length(1...2)])))
    #expect(isInvalid(Schema.of(Body.self).refined(["name": .minimum(1)])))
    #expect(isInvalid(Schema.of(Body.self).refined(["inner": .length(1...2)])))
    #expect(isInvalid(Schema.of(Body.self).narrowed(["nmae": .constant("a")])))
    #expect(isInvalid(Schema.of(Body.self).replacing(["nmae": .any])))
    #expect(isInvalid(Schema.of(Body.self).selecting(["nmae"])))
  }

  @Test func refinementsAreKeywordsOfTheirMember() throws {
    let schema = Schema.of(Inner.self).refined([
      "some_id": .pattern("^a$") && .maximumLength(9) && .nullable, "count": .range(above: 0, upTo: 5),
    ])
    #expect(
      text(schema)
        == #"{"additionalProperties":false,"properties":{"count":{"exclusiveMinimum":0,"maximum":5,"minimum":0,"type":"integer"},"some_id":{"maxLength":9,"pattern":"^a$","type":["string","null"]}},"required":["some_id"],"type":"object"}"#
    )
    #expect(
      text(Shared.schema.narrowed(["id": .oneOf(["x"])]))
        == ##"{"allOf":[{"$ref":"#/components/schemas/Thing"},{"properties":{"id":{"enum":["x"]}}}]}"##)
  }

  @Test func someMembersCanBeSelected() throws {
    let json = text(Schema.of(Inner.self).selecting(["count"], requiring: ["count"]))
    #expect(
      json
        == #"{"additionalProperties":false,"properties":{"count":{"minimum":0,"type":"integer"}},"required":["count"],"type":"object"}"#
    )
  }

  /// A type that writes itself by hand.
  private struct Handwritten: Encodable {
    var inner: Inner
    var note: String?
    var extra: [String]

    enum CodingKeys: String, CodingKey { case note, extra, nested }
    enum NestedKeys: String, CodingKey { case width, height }

    func encode(to encoder: any Encoder) throws {
      try inner.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encodeIfPresent(note, forKey: .note)
      if !extra.isEmpty { try container.encode(extra, forKey: .extra) }
      var nested = container.nestedContainer(keyedBy: NestedKeys.self, forKey: .nested)
      try nested.encode(1, forKey: .width)
      if note != nil { try nested.encode(2, forKey: .height) }
    }
  }

  @Test func examplesShowWhatATypeWritesByHand() throws {
    let inner = Inner(someID: "", count: nil)
    let schema = Schema.recorded(fromExamples: [
      Handwritten(inner: inner, note: "a", extra: ["a"]), Handwritten(inner: inner, note: nil, extra: []),
    ])
    let json = text(schema)
    #expect(
      json
        == #"{"additionalProperties":false,"properties":{"count":{"minimum":0,"type":"integer"},"extra":{"items":{"type":"string"},"type":"array"},"nested":{"additionalProperties":false,"properties":{"height":{"type":"integer"},"width":{"type":"integer"}},"required":["width"],"type":"object"},"note":{"type":"string"},"some_id":{"type":"string"}},"required":["nested","some_id"],"type":"object"}"#
    )
  }

  @Test func aTypeThatCannotBeRecordedIsAFault() {
    struct Strict: Decodable {
      init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "always"))
      }
    }
    struct Holder: Decodable { let strict: Strict }
    guard case .invalid = Schema.of(Holder.self) else {
      Issue.record("recorded")
      return
    }
  }
}
