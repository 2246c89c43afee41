import Client
import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import Server

/// The routes that change the account or what this device keeps for it (contract §2.3).
enum AccountRoutes {
  private struct LanguageBody: Decodable {
    let languageCode: String
  }

  private struct DeletionBody: Decodable {
    let confirmation: String
  }

  private struct DeletionReceiptBody: Encodable {
    let scheduledFor: Timestamp
  }

  /// `POST /api/account/language`: the language's profile got or made and put to use; answers the account.
  static func language(_ call: ConsoleCall, _ device: Device) async throws -> Response {
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
  static func deletion(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let body = try await call.body(DeletionBody.self)
    try await device.requireSession()
    do {
      let scheduledFor = try await Flow.$current.withValue(Flow(name: "request_account_deletion")) {
        await device.awaitConfig()
        let logout = Logout(gateway: device.client.auth, analytics: device.analytics)
        return try await RequestAccountDeletion(gateway: device.client.account, logout: logout)(
          confirmation: body.confirmation, config: device.config)
      }
      return try .body(DeletionReceiptBody(scheduledFor: Timestamp(scheduledFor)), status: .accepted).clearingCache
    } catch AccountError.outcomeUnknown(let failure) {
      await device.noteUnknownDeletion()
      throw Problem(failure)
    }
  }
}
