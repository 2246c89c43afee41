import Client
import Domain
import HTTPTypes
import OpenAPI
import Server

/// The routes of analytics: the account's choice, and events that only a page can report.
enum AnalyticsRoutes {
  private struct ChoiceBody: Decodable {
    let optedIn: Bool
  }

  private struct EventBody: Decodable {
    let name: String
  }

  static let routes = [
    ConsoleRoute(
      .post, "/api/account/analytics",
      Operation(
        "setAnalytics", tag: "account", "Turns analytics on or off for the account on this device.",
        request: .json(ChoiceBody.self), responses: [.json("The account.", AccountBody.self)]),
      codes: .session + [.featureDisabled], .device { call, device in try await choose(call, device) }),
    ConsoleRoute(
      .post, "/api/analytics",
      Operation(
        "reportEvent", tag: "account", "Reports an event of a page; it is kept only if the account's choice allows it.",
        request: .json(.request(EventBody.self).refined(["name": .oneOf(["settings.opened"])])), responses: [.noContent]),
      .device { call, device in try await report(call, device) }),
  ]

  /// `POST /api/account/analytics`: stores the choice for the account on this device and returns the account.
  private static func choose(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let isOptedIn = try await call.body(ChoiceBody.self).optedIn
    try await device.requireSession()
    return try await Flow.$current.withValue(Flow(name: "set_analytics")) {
      await device.awaitConfig()
      let useCase = SetAnalyticsOptIn(preferences: device.preferences, analytics: device.analytics)
      // The account is usually known from the sign-in, so that the choice takes effect without the network.
      var accountID = await device.client.session.state.user?.accountID
      if accountID == nil { accountID = try await device.client.account.fetchMe().user.accountID }
      guard let accountID else { throw Problem.signedOut }
      try await useCase(isOptedIn, accountID: accountID, config: device.config)
      return try .body(await device.accountBody())
    }
  }

  /// `POST /api/analytics`: 204 whether or not the account's choice allows the event to be kept.
  private static func report(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    guard let event = AnalyticsEvent(pageEvent: try await call.body(EventBody.self).name) else {
      throw Problem.invalidRequest("Pages cannot report an event with this name.", field: "name")
    }
    await device.analytics.emit(event)
    return .noContent
  }
}
