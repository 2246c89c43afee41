import JSON

/// The tokens of a login or refresh.
struct BackendTokens: Equatable, Sendable {
  let access: String
  let refresh: String
  let sessionID: String
  let profileID: String

  /// Creates tokens from the JSON of a login or refresh; nil if it failed.
  init?(_ reply: BackendReply) {
    guard reply.status == 200, let json = reply.json, let access = json["access_token"]?.string,
      let refresh = json["refresh_token"]?.string
    else { return nil }
    self.access = access
    self.refresh = refresh
    sessionID = json["session_id"]?.string ?? ""
    profileID = json["profile"]?["profile_id"]?.string ?? ""
  }
}
