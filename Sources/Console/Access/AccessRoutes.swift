import Domain
import HTTPTypes
import OpenAPI
import Server

/// The routes by which a browser gets its cookies: for access to the console, and for the devices whose keys it has.
enum AccessRoutes {
  private struct AccessToken: Decodable {
    let token: String
  }

  private struct DeviceKeys: Decodable {
    let deviceKeys: [String]
  }

  private struct RecoveredBody: Codable, SchemaProvider {
    let devices: [ListedDevice]
    let unknown: [Int]

    static var schema: Schema { .recorded(from: Self.self).refined(["unknown[]": .minimum(0)]) }
  }

  static func routes(_ dependencies: Application.Dependencies) -> [ConsoleRoute] {
    [
      ConsoleRoute(
        .post, "/api/access",
        Operation(
          "access", tag: "console", "Exchanges the console's access token for a cookie.", request: .json(AccessToken.self),
          responses: [.noContent]),
        codes: [.accessRequired, .tooManyAttempts], .open { call in try await access(call, dependencies) }),
      ConsoleRoute(
        .post, "/api/browser",
        Operation(
          "recoverBrowser", tag: "devices",
          "Gives a browser that lost its cookie a new one, for the devices whose keys it shows.",
          request: .json(.request(DeviceKeys.self).refined(["device_keys": .count(1...BrowserStore.deviceLimit)])),
          responses: [
            .json(
              "The devices, which now belong to the new browser, and the indices of the keys that belong to no device.",
              RecoveredBody.self)
          ]),
        role: .viewer, .browser { call in try await recover(call, dependencies) }),
    ]
  }

  /// `POST /api/access`: exchanges the access token of a console that requires one.
  private static func access(_ call: ConsoleCall, _ dependencies: Application.Dependencies) async throws -> Response {
    guard call.request.headers[.origin] != nil else { throw Problem.originRefused }
    let token = try await call.body(AccessToken.self).token
    guard let (name, value) = try dependencies.guessing(call.request, { dependencies.access.cookie(forToken: token) }) else {
      throw Problem.accessRequired
    }
    var response = Response.noContent
    response.headers[.setCookie] = dependencies.cookie.setting(value, name: name)
    return response
  }

  /// `POST /api/browser`: a new cookie for a caller that shows the keys of devices, which then belong to the new browser.
  private static func recover(_ call: ConsoleCall, _ dependencies: Application.Dependencies) async throws -> Response {
    let keys = try await call.body(DeviceKeys.self).deviceKeys
    let (devices, cookie) = try await dependencies.registry.store.recoverBrowser(keys: keys, person: call.person)
    var listed: Set<String> = []
    let known = devices.compactMap { $0 }.filter { listed.insert($0.id).inserted }
    var response = try Response.body(
      RecoveredBody(devices: known.map { ListedDevice($0) }, unknown: devices.indices.filter { devices[$0] == nil }))
    if let cookie { response.headers[.setCookie] = dependencies.cookie.setting(cookie) }
    return response
  }
}
