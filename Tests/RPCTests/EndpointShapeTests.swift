import HTTPTypes
import JSON
import RPC
import Testing

/// Method, path, authentication, idempotency key and JSON of each endpoint.
@Suite struct EndpointShapeTests {
  struct Shape: Sendable, CustomTestStringConvertible {
    let endpoint: any APIEndpoint.Type
    let line: String
    let needsSession: Bool
    let hasIdempotencyKey: Bool
    /// Canonical JSON: sorted keys, no spaces; empty for no body.
    let request: String
    let response: String

    init(
      _ endpoint: any APIEndpoint.Type, _ line: String, needsSession: Bool = false, hasIdempotencyKey: Bool = false,
      request: String = "",
      response: String = ""
    ) {
      self.endpoint = endpoint
      self.line = line
      self.needsSession = needsSession
      self.hasIdempotencyKey = hasIdempotencyKey
      self.request = request
      self.response = response
    }

    var testDescription: String { line }
  }

  private static let instant = "2026-11-21T12:00:00.482Z"
  private static let receipt = #"{"cooldown_seconds":60,"expires_in_seconds":600}"#
  private static let profile = #"{"created_at":"\#(instant)","display_name":"D","language_code":"de","profile_id":"p"}"#
  private static let tokens =
    #"{"access_token":"a","expires_at":"\#(instant)","expires_in":900,"profile":\#(profile),"refresh_expires_at":"\#(instant)","#
    + #""refresh_expires_in":1209600,"refresh_token":"r","session_id":"s","token_type":"Bearer"}"#
  private static let me =
    #"{"account_id":"a","active_profile_id":"p","created_at":"\#(instant)","deletion_scheduled_for":"\#(instant)","display_name":"N","#
    + #""email":"e","phone":"+1","profiles":[\#(profile)],"roles":["developer"],"user_id":"u"}"#
  private static let config =
    #"{"auth":{"code_length":6,"cooldown_seconds":60,"trusted_link_hosts":["h"]},"default_language_code":"en","#
    + #""features":{"account_deletion":true,"analytics_opt_out":true,"developer_tools":false,"idempotency_keys":true,"#
    + #""login_code":true,"logout_endpoint":true},"network_log":{"capacity":2000},"session":{"refresh_margin_seconds":120},"#
    + #""supported_languages":[{"code":"en","name":"English"}]}"#
  private static let cue =
    #"{"answer":"Brot","cue_id":"c","position":3,"profile_id":"p","prompt":"Bread","stage":"review","updated_at":"\#(instant)"}"#
  private static let profileRequest = #"{"account_id":"a","language_code":"de"}"#

  static let shapes: [Shape] = [
    Shape(
      AuthEndpoints.RequestMagicLink.self, "POST /rpc/request_magic_link", request: #"{"identifier":"i","state":"s"}"#,
      response: receipt),
    Shape(
      AuthEndpoints.RequestLoginCode.self, "POST /rpc/request_login_code", request: #"{"identifier":"i"}"#, response: receipt),
    Shape(
      AuthEndpoints.LoginWithMagicToken.self, "POST /rpc/login_with_magic_token", request: #"{"state":"s","token":"t"}"#,
      response: tokens),
    Shape(
      AuthEndpoints.LoginWithCode.self, "POST /rpc/login_with_code", request: #"{"code":"123456","identifier":"i"}"#,
      response: tokens),
    Shape(AuthEndpoints.RefreshTokens.self, "POST /rpc/refresh_tokens", request: #"{"refresh_token":"r"}"#, response: tokens),
    Shape(
      AuthEndpoints.AppRefreshToken.self, "POST /app/api/refresh-token", request: #"{"refresh_token":"r"}"#, response: tokens),
    Shape(AuthEndpoints.Logout.self, "POST /app/api/logout", needsSession: true, request: "{}"),
    Shape(
      AppAPIEndpoints.CallStart.self, "POST /app/api/call/start", needsSession: true, hasIdempotencyKey: true,
      request: #"{"callee":"c"}"#,
      response: #"{"call_id":"i"}"#),
    Shape(AccountEndpoints.Me.self, "GET /rpc/me", needsSession: true, response: me),
    Shape(AppEndpoints.AppConfig.self, "GET /rpc/app_config", response: config),
    Shape(
      AccountEndpoints.GetOrCreateProfile.self, "POST /rpc/get_or_create_account_profile", needsSession: true,
      hasIdempotencyKey: true,
      request: profileRequest, response: profile),
    Shape(
      AccountEndpoints.SetActiveProfile.self, "POST /rpc/set_active_profile", needsSession: true, hasIdempotencyKey: true,
      request: profileRequest, response: profile),
    Shape(
      AccountEndpoints.RequestDeletion.self, "POST /rpc/request_account_deletion", needsSession: true, hasIdempotencyKey: true,
      request: "{}",
      response: #"{"scheduled_for":"\#(instant)","status":"scheduled"}"#),
    Shape(
      CueEndpoints.GetCues.self, "GET /rpc/get_cues", needsSession: true,
      response: #"{"cues":[\#(cue)],"server_time":"\#(instant)"}"#),
    Shape(
      CueEndpoints.ShuffleCues.self, "POST /rpc/shuffle_cues", needsSession: true, hasIdempotencyKey: true,
      request: #"{"profile_id":"p"}"#,
      response: #"{"cues":[\#(cue)]}"#),
    Shape(
      CueEndpoints.UpdateCueStage.self, "POST /rpc/update_cue_stage", needsSession: true, hasIdempotencyKey: true,
      request: #"{"base_updated_at":"\#(instant)","cue_id":"c","stage":"mastered"}"#, response: cue),
  ]

  @Test(arguments: shapes)
  func theTraitsOfEachEndpoint(shape: Shape) {
    let endpoint = shape.endpoint
    let line = "\(endpoint.method.rawValue) \(endpoint.path)"
    let needsSession = endpoint.requiresAuth
    let hasIdempotencyKey = endpoint.idempotencyKey == .perCall
    #expect(line == shape.line)
    #expect(needsSession == shape.needsSession)
    #expect(hasIdempotencyKey == shape.hasIdempotencyKey)
    let isSafe = endpoint.isSafe
    #expect(isSafe == shape.request.isEmpty)
  }

  @Test(arguments: shapes)
  func bodiesMirrorTheJSON(shape: Shape) throws {
    func check<E: APIEndpoint>(_ type: E.Type) throws {
      if !shape.request.isEmpty {
        let body = try JSONCoding.decode(E.RequestBody.self, from: Array(shape.request.utf8))
        #expect(try Self.canonical(body) == shape.request)
      }
      if !shape.response.isEmpty {
        let body = try JSONCoding.decode(E.ResponseBody.self, from: Array(shape.response.utf8))
        #expect(try Self.canonical(body) == shape.response)
      }
    }
    try check(shape.endpoint)
  }

  /// A client accepts answers without the members that a backend may omit.
  @Test func optionalMembersMayBeMissing() throws {
    for shape in Self.shapes where shape.response == Self.tokens {
      let bare = shape.response.replacing(#""profile":\#(Self.profile),"#, with: "")
      #expect(try JSONCoding.decode(TokenPair.self, from: Array(bare.utf8)).profile == nil)
    }
    let bare = #"{"created_at":"\#(Self.instant)","language_code":"de","profile_id":"p"}"#
    #expect(try JSONCoding.decode(ProfileBody.self, from: Array(bare.utf8)).displayName == nil)
    #expect(try JSONCoding.decode(MagicLinkRequest.self, from: Array(#"{"identifier":"i"}"#.utf8)).state == nil)
  }

  private static func canonical(_ body: some Encodable) throws -> String {
    String(decoding: try JSONCoding.encode(body), as: UTF8.self)
  }
}
