import Client
import Domain
import HTTPTypes
import JSON
import OpenAPI
import Server

/// The routes of an account's profiles.
enum ProfileRoutes {
  private struct ListBody: Codable, SchemaProvider {
    let profiles: [Profile]
    let activeProfileID: String?
    let source: String
    let syncedAt: Timestamp

    static var schema: Schema { .recorded(from: Self.self).refined(["source": .oneOf(AccountBody.sources)]) }
  }

  private struct NewProfile: Decodable {
    let languageCode: String
  }

  private struct ActiveProfile: Decodable {
    let profileID: String

    enum CodingKeys: String, CodingKey { case profileID = "profileId" }
  }

  static let routes = [
    ConsoleRoute(
      .get, "/api/profiles",
      Operation("profiles", tag: "account", "The account's profiles.", responses: [.json("Oldest first.", ListBody.self)]),
      codes: .session + [.featureDisabled], .device { _, device in try await list(device) }),
    ConsoleRoute(
      .post, "/api/profiles",
      Operation(
        "createProfile", tag: "account", "Gets or creates the profile of a language.", request: .json(NewProfile.self),
        responses: [
          .json("It already existed.", Profile.self), .json("It was created.", Profile.self, status: .created),
        ]),
      codes: .session + [.featureDisabled], .device { call, device in try await create(call, device) }),
    ConsoleRoute(
      .post, "/api/profiles/active",
      Operation(
        "switchProfile", tag: "account", "Makes a profile active.", request: .json(ActiveProfile.self),
        responses: [.json("It is active.", Profile.self)]),
      codes: .session + [.featureDisabled], .device { call, device in try await activate(call, device) }),
  ]

  /// `GET /api/profiles`.
  private static func list(_ device: Device) async throws -> Response {
    try await device.requireSession()
    let account = try await Flow.$current.withValue(Flow(name: "load_profiles")) {
      try await device.client.account.fetchMe().completed(by: device.config)
    }
    let active = account.activeProfile(device.config)
    device.noteActive(active, of: account.user)
    return try .body(
      ListBody(
        profiles: account.profiles, activeProfileID: active?.profileID, source: account.source.word,
        syncedAt: Timestamp(account.syncedAt)))
  }

  /// `POST /api/profiles`: 201 if the profile was created, 200 if it already existed.
  private static func create(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let body = try await call.body(NewProfile.self)
    try await device.requireSession()
    let (profile, isNew) = try await Flow.$current.withValue(Flow(name: "create_profile")) {
      await device.awaitConfig()
      return try await CreateProfile(gateway: device.client.account)(languageCode: body.languageCode, config: device.config)
    }
    return try .body(profile, status: isNew ? .created : .ok)
  }

  /// `POST /api/profiles/active`.
  private static func activate(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let body = try await call.body(ActiveProfile.self)
    try await device.requireSession()
    let profile = try await Flow.$current.withValue(Flow(name: "switch_profile")) {
      try await SwitchProfile(gateway: device.client.account)(profileID: body.profileID, config: device.config)
    }
    device.noteActive(profile, of: await device.client.session.state.user)
    return try .body(profile)
  }
}
