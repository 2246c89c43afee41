import HTTPTypes
import Server

/// The routes that make, list and forget devices, and their event stream.
enum DeviceRoutes {
  /// How many streams a device may hold open.
  static let streamLimit = 6
  private static let nameLimit = 60

  /// Whether a character of a name shows: no control, and nothing that turns or hides what stands beside it.
  static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }

  private struct NewDevice: Decodable {
    let name: String?
  }

  private struct CreatedBody: Encodable {
    let deviceID: String
    let deviceKey: String
    let name: String
  }

  private struct ListedBody: Encodable {
    struct Item: Encodable {
      let deviceID: String
      let name: String
    }
    let devices: [Item]
  }

  private struct AccessToken: Decodable {
    let token: String
  }

  /// `POST /api/devices`: makes a device, and the browser's cookie where it has none.
  static func create(_ call: ConsoleCall, _ parts: Application.Parts) async throws -> Response {
    var wanted: String?
    if !call.request.body.isEmpty { wanted = try await call.body(NewDevice.self).name?.trimmingWhitespace }
    if let name = wanted, name.isEmpty || name.unicodeScalars.count > nameLimit || !name.unicodeScalars.allSatisfy(isShown) {
      throw Problem.invalidRequest("A name has 1 to \(nameLimit) characters.", field: "name")
    }
    var cookie: String?
    let browser: BrowserStore.Browser
    if let known = call.browser {
      browser = known
    } else {
      let made = try await parts.registry.store.makeBrowser()
      browser = made.0
      cookie = made.cookie
    }
    guard let (record, key) = try await parts.registry.store.makeDevice(browserID: browser.id, name: wanted) else {
      throw Problem(.tooManyRequests, "too_many_attempts", "This browser holds \(BrowserStore.deviceLimit) devices already.")
    }
    var response = try Response.body(CreatedBody(deviceID: record.id, deviceKey: key, name: record.name), status: .created)
    if let cookie { response.headers[.setCookie] = parts.cookie.setting(cookie) }
    return response
  }

  /// `GET /api/devices`: this browser's devices, without their keys.
  static func list(_ call: ConsoleCall, _ device: Device, _ parts: Application.Parts) async throws -> Response {
    // The call's browser: the device may have been another's when it woke.
    let records = try await parts.registry.store.devices(browserID: call.browser?.id ?? device.browserID)
    return try .body(ListedBody(devices: records.map { .init(deviceID: $0.id, name: $0.name) }))
  }

  /// `DELETE /api/device`: factory reset.
  static func delete(_ device: Device, _ parts: Application.Parts) async throws -> Response {
    try await parts.registry.delete(device)
    return .noContent.clearingCache
  }

  /// `GET /api/events`: the device's stream, resumed after the event that the caller saw last, else begun with the session's state.
  static func events(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    guard device.events.subscriberCount < streamLimit else { throw Problem.tooManyStreams }
    let last = [call.request.headers[.lastEventID], call.query("after")].compactMap { $0 }.first { !$0.isEmpty }
    let subscription = device.events.subscribe(after: last)
    // Where a page asks for the state beside the stream, what changes between the two would reach it by neither.
    if last == nil, let data = await device.stateEvent() { subscription.greet("session", data: data) }
    return .events(subscription)
  }

  /// `POST /api/access`: exchanges the access token of a console that asks for one.
  static func access(_ call: ConsoleCall, _ parts: Application.Parts) async throws -> Response {
    guard call.request.headers[.origin] != nil else { throw Problem.originRefused }
    let token = try await call.body(AccessToken.self).token
    guard let (name, value) = try parts.guessing(call.request, { parts.access.cookie(forToken: token) }) else {
      throw Problem.accessRequired
    }
    var response = Response.noContent
    response.headers[.setCookie] = parts.cookie.setting(value, name: name)
    return response
  }
}

extension String {
  /// The string without the white space around it.
  var trimmingWhitespace: String {
    var kept = self[...]
    while kept.first?.isWhitespace == true { kept.removeFirst() }
    while kept.last?.isWhitespace == true { kept.removeLast() }
    return String(kept)
  }
}
