import Client
import Domain
import HTTPTypes
import Server

/// The routes of analytics: the account's choice, and what only a page can report (contract §2.3).
enum AnalyticsRoutes {
  private struct ChoiceBody: Decodable {
    let optedIn: Bool
  }

  private struct EventBody: Decodable {
    let name: String
  }

  /// `POST /api/account/analytics`: keeps the choice for the account on this device; answers the account.
  static func choose(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let isOptedIn = try await call.body(ChoiceBody.self).optedIn
    try await device.requireSession()
    return try await Flow.$current.withValue(Flow(name: "set_analytics")) {
      await device.awaitConfig()
      let useCase = SetAnalyticsOptIn(preferences: device.preferences, analytics: device.analytics)
      // Whose choice it is was learned at the sign-in, as a rule, so that the choice needs no network to take effect.
      var accountID = await device.client.session.state.user?.accountID
      if accountID == nil { accountID = try await device.client.account.fetchMe().user.accountID }
      guard let accountID else { throw Problem.signedOut }
      try await useCase(isOptedIn, accountID: accountID, config: device.config)
      return try .body(await device.accountBody())
    }
  }

  /// `POST /api/analytics`: an event that a page reports; 204 whether or not the account's choice lets it be kept.
  static func report(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    guard let event = AnalyticsEvent(pageEvent: try await call.body(EventBody.self).name) else {
      throw Problem.invalidRequest("Pages report no event of this name.", field: "name")
    }
    await device.analytics.emit(event)
    return .noContent
  }
}
