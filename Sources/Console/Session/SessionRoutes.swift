import Client
import Domain
import HTTPTypes
import Server

/// The routes of the session and of the account that it gives access to.
enum SessionRoutes {
  private struct LogoutBody: Decodable {
    let discard: Bool?
  }

  /// `POST /api/logout`: refused while edits are not sent, unless the body gives them up.
  static func logout(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    let discards = call.request.body.isEmpty ? false : try await call.body(LogoutBody.self).discard ?? false
    try await Flow.$current.withValue(Flow(name: "logout")) {
      try await Logout(gateway: device.client.auth, analytics: device.analytics)(
        unlessUnsent: .backend(device.cues), discardsEdits: discards)
    }
    // Signed out for now, but the tokens are still kept: the next launch would find them.
    if await device.client.session.state.reason == SessionController.keptReason { throw Problem.storageFull }
    return try .body(await device.body()).clearingCache
  }

  /// `POST /api/session/refresh`: refreshes now, whether or not it is time.
  static func refresh(_ device: Device) async throws -> Response {
    guard await device.client.session.state.isSignedIn else { throw Problem.signedOut }
    let outcome = await Flow.$current.withValue(Flow(name: "refresh")) { await device.client.refresh() }
    switch outcome {
    case .refreshed: return try .body(await device.body())
    case .ended: throw Problem.sessionEnded
    case .failed(let error): throw Problem(CallFailure(error))
    case .cancelled, .timedOut: throw Problem(CallFailure.timeout)
    }
  }

  /// `POST /api/session/relaunch`: the app is killed and started again.
  static func relaunch(_ device: Device, _ parts: Application.Parts) async throws -> Response {
    guard let device = try await parts.registry.relaunch(device) else { throw Problem.deviceUnknown }
    return try .body(await device.body())
  }

  /// `GET /api/account`.
  static func account(_ device: Device) async throws -> Response {
    guard await device.client.session.state.isSignedIn else { throw Problem.signedOut }
    return try .body(await Flow.$current.withValue(Flow(name: "load_account")) { try await device.accountBody() })
  }
}
