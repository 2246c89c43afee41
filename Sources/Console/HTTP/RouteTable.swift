import Domain
import HTTPTypes
import Server

/// The console's routes (contract §2.3).
enum RouteTable {
  /// Every route over the parts.
  static func routes(_ parts: Application.Parts) -> [ConsoleRoute] {
    // Written once, since whoever watches the console asks for it all the time.
    let health = (try? Response.body(HealthBody(status: "ok", version: parts.version))) ?? .noContent
    let description = Response.json(Array(APIDescriptionText.document(version: parts.version).utf8))
    return [
      ConsoleRoute(.get, "/healthz", .open { _ in health }),
      ConsoleRoute(.get, "/", .open { call in await home(call, parts) }),
      ConsoleRoute(.get, "/metrics", .open { call in try await metrics(call, parts) }),
      ConsoleRoute(.get, "/api/openapi.json", .open { _ in description }),
      ConsoleRoute(.post, "/api/access", .open { call in try await DeviceRoutes.access(call, parts) }),
      ConsoleRoute(.post, "/api/browser", .browser { call in try await BrowserRoutes.recover(call, parts) }),
      ConsoleRoute(.get, RefusedPage.clearPath, .open { call in RefusedPage.clearing(call.request.headers) }),
      ConsoleRoute(.post, "/api/devices", .browser { call in try await DeviceRoutes.create(call, parts) }),
      ConsoleRoute(.get, "/api/devices", .device { call, device in try await DeviceRoutes.list(call, device, parts) }),
      ConsoleRoute(.delete, "/api/device", .device { call, device in try await DeviceRoutes.delete(device, parts) }),
      ConsoleRoute(.get, "/api/state", .device { call, device in try .body(await device.body()) }),
      ConsoleRoute(.get, "/api/events", .device { call, device in try await DeviceRoutes.events(call, device) }),
      ConsoleRoute(
        .post, "/api/login/magic-link", .device { call, device in try await LoginRoutes.request(.magicLink, call, device, parts) }
      ),
      ConsoleRoute(
        .post, "/api/login/code", .device { call, device in try await LoginRoutes.request(.loginCode, call, device, parts) }),
      ConsoleRoute(
        .post, "/api/login/magic-link/complete",
        .device { call, device in try await LoginRoutes.completeMagicLink(call, device, parts) }),
      ConsoleRoute(
        .post, "/api/login/code/verify", .device { call, device in try await LoginRoutes.verifyCode(call, device, parts) }),
      ConsoleRoute(.post, "/api/logout", .device { call, device in try await SessionRoutes.logout(call, device) }),
      ConsoleRoute(.post, "/api/session/refresh", .device { call, device in try await SessionRoutes.refresh(device) }),
      ConsoleRoute(
        .post, "/api/session/relaunch", .device { call, device in try await SessionRoutes.relaunch(device, parts) }),
      ConsoleRoute(.get, "/api/account", .device { call, device in try await SessionRoutes.account(device) }),
      ConsoleRoute(.get, "/api/cues", .device { call, device in try await CueRoutes.list(device) }),
      ConsoleRoute(.post, "/api/cues/shuffle", .device { call, device in try await CueRoutes.shuffle(device) }),
      ConsoleRoute(.post, "/api/cues/{cue_id}/stage", .device { call, device in try await CueRoutes.move(call, device) }),
      ConsoleRoute(.post, "/api/account/language", .device { call, device in try await AccountRoutes.language(call, device) }),
      ConsoleRoute(.post, "/api/account/analytics", .device { call, device in try await AnalyticsRoutes.choose(call, device) }),
      ConsoleRoute(.post, "/api/account/deletion", .device { call, device in try await AccountRoutes.deletion(call, device) }),
      ConsoleRoute(.post, "/api/analytics", .device { call, device in try await AnalyticsRoutes.report(call, device) }),
      ConsoleRoute(.get, "/api/profiles", .device { call, device in try await ProfileRoutes.list(device) }),
      ConsoleRoute(.post, "/api/profiles", .device { call, device in try await ProfileRoutes.create(call, device) }),
      ConsoleRoute(.post, "/api/profiles/active", .device { call, device in try await ProfileRoutes.activate(call, device) }),
      ConsoleRoute(.get, "/api/timeline", .device { call, device in try TimelineRoutes.list(device) }),
      ConsoleRoute(.get, "/api/network", .device { call, device in try NetworkRoutes.list(call, device) }),
      ConsoleRoute(.get, "/api/network/search", .device { call, device in try await NetworkRoutes.search(call, device) }),
      ConsoleRoute(.post, "/api/network/{id}/pin", .device { call, device in try await NetworkRoutes.pin(call, device) }),
      ConsoleRoute(.get, "/api/network/export", .device { call, device in try await ExportRoutes.export(call, device) }),
      ConsoleRoute(
        .post, "/api/network/export", .device { call, device in try await ExportRoutes.exportSelection(call, device) }),
      ConsoleRoute(.get, "/api/network/{id}/curl", .device { call, device in try ExportRoutes.curl(call, device) }),
      ConsoleRoute(.get, "/api/network/{id}/swift", .device { call, device in try ExportRoutes.swift(call, device) }),
      ConsoleRoute(.get, "/api/network/{id}/markdown", .device { call, device in try ExportRoutes.markdown(call, device) }),
      ConsoleRoute(.post, "/api/network/{id}/replay", .device { call, device in try await ReplayRoutes.replay(call, device) }),
      ConsoleRoute(.post, "/api/network/requests", .device { call, device in try await ReplayRoutes.compose(call, device) }),
      ConsoleRoute(.get, "/api/network/{id}", .device { call, device in try NetworkRoutes.detail(call, device) }),
      ConsoleRoute(.delete, "/api/network", .device { call, device in NetworkRoutes.clear(device) }),
      ConsoleRoute(.get, "/api/faults", .device { _, device in try FaultRoutes.list(device) }),
      ConsoleRoute(.post, "/api/faults", .device { call, device in try await FaultRoutes.arm(call, device) }),
      ConsoleRoute(.delete, "/api/faults", .device { _, device in FaultRoutes.clear(device) }),
      ConsoleRoute(.patch, "/api/faults/{id}", .device { call, device in try await FaultRoutes.change(call, device) }),
      ConsoleRoute(.delete, "/api/faults/{id}", .device { call, device in try FaultRoutes.remove(call, device) }),
      ConsoleRoute(.get, "/api/faults/presets", .device { _, _ in try FaultRoutes.presets() }),
      ConsoleRoute(.post, "/api/faults/presets/{id}", .device { call, device in try FaultRoutes.armPreset(call, device) }),
      ConsoleRoute(.post, "/api/faults/preview", .device { call, device in try await FaultRoutes.preview(call, device) }),
      ConsoleRoute(
        .get, "/api/inbox", .device { call, device in try await BackendRoutes.inbox(call, device, parts) }),
      ConsoleRoute(
        .post, "/api/inbox/{id}/scan",
        .device { call, device in
          try await BackendRoutes.scan(call, device, parts) { request in await Application(parts: parts).respond(request) }
        }),
      ConsoleRoute(
        .get, "/api/backend/limits",
        .device { call, device in try await BackendRoutes.limitsState(call, device, parts) }),
      ConsoleRoute(
        .post, "/api/backend/clock",
        .device { call, device in try await BackendRoutes.clock(call, device) }),
      ConsoleRoute(
        .post, "/api/backend/limits",
        .device { call, device in try await BackendRoutes.limits(call, device) }),
      ConsoleRoute(
        .post, "/api/backend/reset",
        .device { call, device in try await BackendRoutes.reset(call, device) }),
    ]
  }

  /// Where `/` leads: to the settings where somebody is signed in on a device of this browser, else to the login.
  private static func home(_ call: ConsoleCall, _ parts: Application.Parts) async -> Response {
    var isSignedIn = false
    // Open to everybody, as the ready line's access token is read by a page; a browser without access is shown the login.
    if parts.access.standing(of: call.request) != .stranger, let browser = try? await parts.browser(of: call.request) {
      isSignedIn = (try? await parts.registry.store.holdsSession(browserID: browser.id, backendID: parts.backend.id)) ?? false
    }
    var response = Response.redirect(to: isSignedIn ? "/settings" : "/login", status: .found)
    response.headers[.cacheControl] = "no-store"
    return response
  }

  /// `GET /metrics`; whoever is asked for the access token shows it as bearer.
  private static func metrics(_ call: ConsoleCall, _ parts: Application.Parts) async throws -> Response {
    guard try parts.access.standing(of: call.request) != .stranger || parts.admitsBearer(call.request) else {
      throw Problem.accessRequired
    }
    return Response(
      status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
      body: .bytes(await parts.metrics()))
  }

  private struct HealthBody: Encodable {
    let status: String
    let version: String
  }
}
