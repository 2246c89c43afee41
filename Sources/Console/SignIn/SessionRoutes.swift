import Client
import Domain
import HTTPTypes
import OpenAPI
import Server

/// The routes that refresh and end the session.
enum SessionRoutes {
  private struct LogoutBody: Decodable {
    let discard: Bool?
  }

  static func routes(_ dependencies: Application.Dependencies) -> [ConsoleRoute] {
    [
      ConsoleRoute(
        .post, "/api/logout",
        Operation(
          "logout", tag: "session", "Ends the session on this device.", request: .json(LogoutBody.self, isRequired: false),
          responses: [.json("Signed out.", StateBody.self)]),
        codes: [.unsyncedEdits], .device { call, device in try await logout(call, device) }),
      ConsoleRoute(
        .post, "/api/session/refresh",
        Operation(
          "refreshSession", tag: "session", "Refreshes the tokens now.", responses: [.json("Refreshed.", StateBody.self)]),
        codes: .session + [.featureDisabled], .device { _, device in try await refresh(device) }),
      ConsoleRoute(
        .post, "/api/session/relaunch",
        Operation(
          "relaunch", tag: "session", "Kills the app on the device and launches it again.",
          responses: [.json("Launched.", StateBody.self)]),
        .device { _, device in
          guard let device = try await dependencies.registry.relaunch(device) else { throw Problem.deviceUnknown }
          return try .body(await device.body())
        }),
    ]
  }

  /// `POST /api/logout`: rejected if edits have not been sent, unless the body discards them.
  private static func logout(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let discards = call.request.body.isEmpty ? false : try await call.body(LogoutBody.self).discard ?? false
    try await Flow.$current.withValue(Flow(name: "logout")) {
      try await Logout(gateway: device.client.auth, analytics: device.analytics)(
        unlessUnsent: .backend(device.cues), discardsEdits: discards)
    }
    // Signed out in memory only: the tokens could not be deleted, and the next launch would find them.
    if await device.client.session.state.reason == SessionController.tokensNotRemovedReason { throw Problem.storageFull }
    return try .body(await device.body()).clearingCache
  }

  /// `POST /api/session/refresh`: refreshes now, whether or not the token is about to expire.
  private static func refresh(_ device: Device) async throws -> Response {
    try device.require(.refresh)
    guard await device.client.session.state.isSignedIn else { throw Problem.signedOut }
    let outcome = await Flow.$current.withValue(Flow(name: "refresh")) { await device.client.refresh() }
    switch outcome {
    case .refreshed: return try .body(await device.body())
    case .ended: throw Problem.sessionEnded
    case .failed(let error): throw Problem(CallFailure(error))
    case .cancelled, .timedOut: throw Problem(CallFailure.timeout)
    }
  }
}
