import JSON
import RPC
import Testing

@Suite struct BodyTests {
  static let tokens = """
    {"access_token":"a","expires_at":"2026-11-21T12:00:00.482Z","expires_in":900,"refresh_expires_at":"2026-12-05T12:00:00+00:00",
    "refresh_expires_in":1209600,"refresh_token":"r","session_id":"s","token_type":"Bearer","unknown":1}
    """

  @Test func tokensMirrorTheJSON() throws {
    let pair = try JSONCoding.decode(TokenPair.self, from: Array(Self.tokens.utf8))
    #expect(pair.expiresIn == 900)
    #expect(pair.expiresAt?.text == "2026-11-21T12:00:00.482Z")
    #expect(pair.refreshExpiresAt?.text == "2026-12-05T12:00:00.000Z")
    let again = try JSONCoding.decode(TokenPair.self, from: try JSONCoding.encode(pair))
    #expect(again == pair)
  }

  @Test func fieldsOfAUserMayBeMissing() throws {
    let json = #"{"user_id":"u","account_id":"a","created_at":"2026-11-21T12:00:00.000+0000"}"#
    let me = try JSONCoding.decode(MeBody.self, from: Array(json.utf8))
    #expect(me.profiles == nil)
    #expect(me.roles == nil)
  }

  @Test func duplicateKeysAreRefused() {
    let json = #"{"refresh_token":"a","refresh_token":"b"}"#
    #expect(throws: JSONError.self) { try JSONCoding.decode(RefreshRequest.self, from: Array(json.utf8)) }
  }

  @Test func theSignedTextHasNoDelimiters() {
    let bytes = SignedText.bytes(apiID: "id", method: "POST", path: "/rpc/me", body: Array("{}".utf8), nonce: "1700000000")
    #expect(String(decoding: bytes, as: UTF8.self) == "idPOST/rpc/me{}1700000000")
  }

  @Test func aConflictContainsTheCueAndOtherDetailsAreIgnored() throws {
    let cue = CueBody(
      cueID: "c", profileID: "p", prompt: "Bread", answer: "Brot", stage: .review, position: 3,
      updatedAt: ReceivedTimestamp(Timestamp(milliseconds: 1_795_262_400_000)))
    let body = BackendErrorBody(code: "conflict", message: "m", requestID: "r", details: .init(cue: cue))
    #expect(try JSONCoding.decode(BackendErrorBody.self, from: try JSONCoding.encode(body)) == body)
    for details in [#""text""#, "[1]", #"{"cue":1}"#, #"{"other":true}"#, "null"] {
      let json = #"{"error":{"code":"x","message":"m","details":\#(details)}}"#
      let read = try JSONCoding.decode(BackendErrorBody.self, from: Array(json.utf8))
      #expect(read.error.code == "x" && read.error.details?.cue == nil)
    }
  }
}
