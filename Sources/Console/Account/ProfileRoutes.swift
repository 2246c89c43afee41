import Client
import Domain
import HTTPTypes
import RPC
import Server

/// The routes of an account's profiles (contract §2.3).
enum ProfileRoutes {
  private struct ListBody: Encodable {
    let profiles: [ProfileBody]
    let activeProfileID: String?
    let source: String
  }

  private struct NewProfile: Decodable {
    let languageCode: String
  }

  private struct ActiveProfile: Decodable {
    let profileID: String

    enum CodingKeys: String, CodingKey { case profileID = "profileId" }
  }

  /// `GET /api/profiles`.
  static func list(_ device: Device) async throws -> Response {
    try await device.requireSession()
    let account = try await Flow.$current.withValue(Flow(name: "load_profiles")) {
      try await device.client.account.fetchMe()
    }
    return try .body(
      ListBody(
        profiles: account.profiles.map { ProfileBody($0) }, activeProfileID: account.user.activeProfileID,
        source: account.source.rawValue))
  }

  /// `POST /api/profiles`: 201 for a profile that was made, 200 for one that was there.
  static func create(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let body = try await call.body(NewProfile.self)
    try await device.requireSession()
    let (profile, isNew) = try await Flow.$current.withValue(Flow(name: "create_profile")) {
      await device.awaitConfig()
      return try await CreateProfile(gateway: device.client.account)(languageCode: body.languageCode, config: device.config)
    }
    return try .body(ProfileBody(profile), status: isNew ? .created : .ok)
  }

  /// `POST /api/profiles/active`.
  static func activate(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let body = try await call.body(ActiveProfile.self)
    try await device.requireSession()
    let profile = try await Flow.$current.withValue(Flow(name: "switch_profile")) {
      try await SwitchProfile(gateway: device.client.account)(profileID: body.profileID)
    }
    return try .body(ProfileBody(profile))
  }
}
