import Client
import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import OpenAPI
import Server

extension AccountBody {
  /// The account's settings.
  struct Settings: Codable {
    let analyticsOptedIn: Bool
    let preferredLanguageCode: String

    init(_ dashboard: AccountDashboard, _ device: Device) async {
      analyticsOptedIn = await device.settings.analyticsOptedIn(accountID: dashboard.user.accountID)
      preferredLanguageCode =
        await device.client.session.preferredLanguageCode ?? dashboard.activeProfile?.languageCode
        ?? dashboard.config.defaultLanguageCode
    }
  }
}

/// The routes that read and change the account.
enum AccountRoutes {
  private struct LanguageBody: Decodable {
    let languageCode: String
  }

  private struct DeletionBody: Decodable {
    let confirmation: String
  }

  private struct DeletionReceiptBody: Codable {
    /// Missing if the backend does not say when.
    let scheduledFor: Timestamp?
  }

  static let routes = [
    ConsoleRoute(
      .get, "/api/account",
      Operation(
        "account", tag: "account", "The signed-in user and the settings.", responses: [.json("The account.", AccountBody.self)]),
      codes: .session, .device { _, device in try await account(device) }),
    ConsoleRoute(
      .post, "/api/account/language",
      Operation(
        "updateLanguage", tag: "account", "Gets or creates the language's profile and makes it active.",
        request: .json(LanguageBody.self), responses: [.json("The account.", AccountBody.self)]),
      codes: .session + [.featureDisabled], .device { call, device in try await language(call, device) }),
    ConsoleRoute(
      .post, "/api/account/deletion",
      Operation(
        "requestDeletion", tag: "account",
        "Schedules the account's deletion and signs the device out; repeated after a lost answer, it answers the same.",
        request: .json(
          .request(DeletionBody.self).refined(["confirmation": .oneOf([RequestAccountDeletion.confirmation])])),
        responses: [.json("Scheduled.", DeletionReceiptBody.self, status: .accepted)]),
      codes: .session + [.featureDisabled, .confirmationMismatch],
      .device { call, device in try await deletion(call, device) }),
  ]

  /// `GET /api/account`.
  private static func account(_ device: Device) async throws -> Response {
    try await device.requireSession()
    return try .body(await Flow.$current.withValue(Flow(name: "load_account")) { try await device.accountBody() })
  }

  /// `POST /api/account/language`: gets or creates the language's profile, makes it active, and returns the account.
  private static func language(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let body = try await call.body(LanguageBody.self)
    try await device.requireSession()
    return try await Flow.$current.withValue(Flow(name: "update_language")) {
      await device.awaitConfig()
      _ = try await UpdateLanguage(
        gateway: device.client.account, preferences: device.preferences, analytics: device.analytics
      )(languageCode: body.languageCode, config: device.config)
      return try .body(await device.accountBody())
    }
  }

  /// `POST /api/account/deletion`: schedules the deletion and signs the device out.
  private static func deletion(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let body = try await call.body(DeletionBody.self, except: ["confirmation"])
    try await device.requireSession()
    do {
      let scheduledFor = try await Flow.$current.withValue(Flow(name: "request_account_deletion")) {
        await device.awaitConfig()
        let logout = Logout(gateway: device.client.auth, analytics: device.analytics)
        return try await RequestAccountDeletion(gateway: device.client.account, logout: logout)(
          confirmation: body.confirmation, config: device.config)
      }
      return try .body(DeletionReceiptBody(scheduledFor: scheduledFor.map { Timestamp($0) }), status: .accepted).clearingCache
    } catch AccountError.outcomeUnknown(let failure) {
      await device.noteUnknownDeletion()
      throw Problem(failure)
    }
  }
}
