import JSON
import RPC
import Testing

@testable import Client

/// Error codes and waits in the shapes that backends use.
struct BackendErrorTests {
  private func error(_ text: String) throws -> BackendError? { BackendError(try JSONDocument(parsing: Array(text.utf8)).root) }

  @Test(arguments: [
    #"{"error":{"code":"cue_not_found","message":"","request_id":"r"}}"#,
    #"{"code":"cue_not_found","message":"There is none."}"#,
    #"{"error":"cue_not_found","error_description":"There is none."}"#,
    #"{"type":"about:blank","title":"None","status":404,"code":"cue_not_found"}"#,
    #"{"type":"https://backend.test/problems/cue_not_found","title":"None"}"#,
    #"{"type":"https://backend.test/problems/cue-not-found?lang=en","title":"None"}"#,
    #"{"type":"https://backend.test/problems#CueNotFound","detail":"None"}"#,
    #"{"type":"urn:problem:cue_not_found","title":"None","status":404}"#,
    #"{"error":{"code":"CUE_NOT_FOUND"}}"#, #"{"code":"cueNotFound"}"#,
  ])
  func eachShapeHasItsCode(text: String) throws { #expect(try error(text)?.code == BackendErrorCode.cueNotFound) }

  @Test func everyKnownCodeIsFoundInAnySpelling() throws {
    for code in BackendErrorCode.all {
      for spelling in [code, code.uppercased(), code.replacing("_", with: "-")] {
        #expect(try error(#"{"code":"\#(spelling)"}"#)?.code == code)
      }
    }
  }

  @Test(arguments: [
    #"{"type":"https://backend.test/errors/invalid_identifier","title":"No","status":422,"code":"E1042"}"#,
    #"{"code":"RATE_1","error":"invalid_identifier"}"#, #"{"error":{"code":"E7"},"code":"invalid_identifier"}"#,
  ])
  func aKnownCodeCountsBesideAnUnknownOne(text: String) throws {
    #expect(try error(text)?.code == BackendErrorCode.invalidIdentifier)
  }

  @Test func anUnknownCodeIsKeptAsItIs() throws {
    #expect(try error(#"{"error":"invalid_grant"}"#)?.code == "invalid_grant")
    #expect(try error(#"{"code":"ErrTokenRevoked"}"#)?.code == "ErrTokenRevoked")
  }

  /// An error of the backend's own, whose code is missing or no word.
  @Test(arguments: [
    #"{"error":{"message":"No."}}"#, #"{"error":"Something went wrong"}"#, #"{"code":1003,"message":"No."}"#,
    #"{"type":"about:blank","title":"Forbidden","status":403}"#, #"{"title":"Forbidden","status":403}"#,
    #"{"error":{"code":"two words"}}"#, #"{"error":{"code":7}}"#, #"{"code":"quotes-some-unknown-token"}"#,
  ])
  func anErrorNeedNoCode(text: String) throws {
    let error = try error(text)
    #expect(error != nil && error?.code == nil)
  }

  @Test(arguments: [
    "{}", "[]", "null", #""error""#, #"{"message":"Forbidden"}"#, #"{"error":null}"#, #"{"error":{}}"#, #"{"error":false}"#,
    #"{"code":403}"#, #"{"title":"A page"}"#, #"{"error":""}"#, #"{"user_id":"u","type":"person"}"#,
  ])
  func otherJSONDescribesNoError(text: String) throws { #expect(try error(text) == nil) }

  @Test(
    arguments: [
      (#"{"error":{"code":"x","retry_after_seconds":7}}"#, 7), (#"{"error":{"code":"x","details":{"retry_after":7}}}"#, 7),
      (#"{"code":"x","retryAfterSeconds":6.2}"#, 7), (#"{"error":"x","retry_after":"7"}"#, 7),
      (#"{"type":"urn:x","title":"","details":{"retryAfter":7}}"#, 7), (#"{"code":"x","retry_after":1e300}"#, 86_400),
      (#"{"code":"x","retry_after":0}"#, nil), (#"{"code":"x","retry_after":-3}"#, nil),
      (#"{"code":"x","retry_after":"soon"}"#, nil),
      (#"{"code":"x","retry_after":"nan"}"#, nil), (#"{"code":"x","retry_after":"inf"}"#, 86_400),
      (#"{"code":"x","retry_after":null,"retry_after_seconds":[1]}"#, nil),
    ] as [(String, Int?)])
  func theWaitIsReadFromAnyPlace(text: String, seconds: Int?) throws { #expect(try error(text)?.retryAfterSeconds == seconds) }
}
