import HTTPTypes
import Server

/// The route by which a browser that lost its cookie comes by another.
enum BrowserRoutes {
  private struct Keys: Decodable {
    let deviceKeys: [String]
  }

  private struct RecoveredBody: Encodable {
    struct Item: Encodable {
      let deviceID: String
      let name: String
    }
    let devices: [Item]
    let unknown: [Int]
  }

  /// `POST /api/browser`: a new cookie for whoever proves the keys of devices, which belong to the new browser from then on.
  static func recover(_ call: ConsoleCall, _ parts: Application.Parts) async throws -> Response {
    let keys = try await call.body(Keys.self).deviceKeys
    guard (1...BrowserStore.deviceLimit).contains(keys.count) else {
      throw Problem.invalidRequest("There are 1 to \(BrowserStore.deviceLimit) keys.", field: "device_keys")
    }
    let (devices, cookie) = try await parts.registry.store.recoverBrowser(keys: keys)
    var listed: Set<String> = []
    let known = devices.compactMap { $0 }.filter { listed.insert($0.id).inserted }
    var response = try Response.body(
      RecoveredBody(
        devices: known.map { .init(deviceID: $0.id, name: $0.name) }, unknown: devices.indices.filter { devices[$0] == nil }))
    if let cookie { response.headers[.setCookie] = parts.cookie.setting(cookie) }
    return response
  }
}
