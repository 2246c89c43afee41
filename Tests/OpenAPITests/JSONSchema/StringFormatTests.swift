import Testing

@testable import OpenAPI

@Suite struct StringFormatTests {
  @Test(arguments: [
    ("date-time", "2026-11-21T12:04:31Z"), ("date-time", "2026-11-21t12:04:31.482+02:00"), ("date-time", "1998-12-31T23:59:60Z"),
    ("date-time", "1998-12-31T15:59:60.123-08:00"), ("date", "2024-02-29"), ("uuid", "6BE0A1F4-2f0f-4c0f-8a43-2a3b1d0f7c22"),
    ("email", "person@example.com"), ("email", "a+b.c@sub.example"), ("uri", "https://example.com/a?b=%20#c"),
    ("uri", "urn:uuid:6be0a1f4"), ("ipv4", "127.0.0.1"),
  ]) func isOfTheFormat(name: String, text: String) throws {
    #expect(try #require(StringFormat(rawValue: name)).matches(text))
  }

  @Test(arguments: [
    ("date-time", "2026-11-21"), ("date-time", "2026-02-29T12:04:31Z"), ("date-time", "2026-11-21T12:04:31"),
    ("date-time", "2026-11-21T12:04:31+0000"), ("date-time", "2026-11-21 12:04:31Z"), ("date-time", "1998-12-31T22:59:60Z"),
    ("date-time", "1790000000"), ("date-time", ""), ("date", "2023-02-29"), ("date", "2023-2-9"), ("date", "20230209"),
    ("uuid", "6be0a1f42f0f4c0f8a432a3b1d0f7c22"), ("uuid", "6be0a1f4-2f0f-4c0f-8a43-2a3b1d0f7c2g"), ("email", "person"),
    ("email", "@example.com"), ("email", "a@b@c"), ("email", "a b@c"), ("uri", "/a"), ("uri", "https://a b"),
    ("uri", "https://%zz"),
    ("ipv4", "127.0.0"), ("ipv4", "256.0.0.1"), ("ipv4", "01.0.0.1"),
  ]) func isNotOfTheFormat(name: String, text: String) throws {
    #expect(!(try #require(StringFormat(rawValue: name)).matches(text)))
  }

  @Test func formatsAreAssertedOnlyIfAsked() throws {
    let source = #"{"format": "uuid"}"#
    #expect(try CompiledSchema(source).accepts(#""x""#))
    #expect(!(try CompiledSchema(source, assertsFormats: true).accepts(#""x""#)))
    #expect(try CompiledSchema(source, assertsFormats: true).accepts("1"))
    #expect(try CompiledSchema(#"{"format": "hostname"}"#, assertsFormats: true).accepts(#""-""#))
  }
}
