import Testing

@testable import OpenAPI

@Suite struct RefinementTests {
  struct Inner: Codable {
    let id: String?
  }

  struct Body: Codable {
    let name: String?
    let inner: Inner
  }

  @Test func optionalMembersCanBeRequired() {
    guard case .object(let object) = Schema.of(Body.self).requiring(["name", "inner.id"]),
      case .object(let inner) = object.properties["inner"]
    else {
      Issue.record("not an object")
      return
    }
    #expect(object.required == ["name", "inner"])
    #expect(inner.required == ["id"])
  }

  @Test(arguments: ["missing", "inner.missing", "name.id"]) func aMissingMemberCannotBeRequired(path: String) {
    var isInvalid = false
    Schema.of(Body.self).requiring([path]).forEach { if case .invalid = $0 { isInvalid = true } }
    #expect(isInvalid)
  }
}
