import Domain
import HTTPTypes
import OpenAPI
import Server
import Wire

/// The routes that create, list and delete devices, their state and their event stream.
enum DeviceRoutes {
  /// How many streams a device may have open.
  static let streamLimit = 6

  private struct NewDevice: Decodable {
    let name: String?
    /// Whether the person's most recently used device is acceptable; a console without people always creates a new device.
    let reuse: Bool?
  }

  private struct NameBody: Decodable {
    let name: String
  }

  private struct ListBody: Codable, SchemaProvider {
    let devices: [ListedDeviceWithUser]
    /// The person whose devices these are, on a console with people.
    let person: String?
    let role: String?

    static var schema: Schema {
      .recorded(from: Self.self).refined(["role": .oneOf(Person.Role.allCases.map(\.rawValue))])
    }
  }

  static func routes(_ dependencies: Application.Dependencies) -> [ConsoleRoute] {
    [
      ConsoleRoute(
        .post, "/api/devices",
        Operation(
          "createDevice", tag: "devices", "Creates a device, and a cookie for a browser that has none.",
          request: .json(.request(NewDevice.self).refined(["name": DisplayName.refinement]), isRequired: false),
          responses: [.json("The only answer that shows the key.", NewDeviceBody.self, status: .created)]),
        codes: [.tooManyAttempts], role: .viewer, .browser { call in try await create(call, dependencies) }),
      ConsoleRoute(
        .get, "/api/devices",
        Operation(
          "devices", tag: "devices", "This browser's or person's devices, without keys.",
          responses: [.json("Oldest first.", ListBody.self)]),
        .device { call, device in try await list(call, device, dependencies) }),
      ConsoleRoute(
        .patch, "/api/device",
        Operation(
          "renameDevice", tag: "devices", "Renames the device.",
          request: .json(.request(NameBody.self).refined(["name": DisplayName.refinement])),
          responses: [.json("The device.", ListedDevice.self)]),
        role: .viewer, .device { call, device in try await rename(call, device, dependencies) }),
      ConsoleRoute(
        .delete, "/api/device",
        Operation("factoryReset", tag: "devices", "Deletes the device with everything it stored.", responses: [.noContent]),
        role: .viewer,
        .device { _, device in
          try await dependencies.registry.delete(device)
          return .noContent.clearingCache
        }),
      ConsoleRoute(
        .get, "/api/state",
        Operation("state", tag: "devices", "The device's state.", responses: [.json("The state.", StateBody.self)]),
        .device { call, device in
          guard call.isOwner, let fault = dependencies.earlierFault.body else {
            return .json(noStore: try await device.encodedBody())
          }
          var body = await device.body()
          body.endedByFault = fault
          return try .body(body)
        }),
      ConsoleRoute(
        .delete, "/api/ended-by-fault",
        Operation(
          "seeEndedByFault", tag: "console", "Notes that the owner has seen how an earlier console ended.",
          responses: [.noContent]),
        .owner { _, _ in
          dependencies.earlierFault.markSeen()
          return .noContent
        }),
      ConsoleRoute(
        .get, "/api/events",
        Operation(
          "events", tag: "devices", "What happens to the device, as server-sent events; resumed by Last-Event-ID or after.",
          parameters: [.query("after", "The id of the last event that was received.")],
          responses: [
            .content(
              "A stream of session, network, inbox, fault, cue, config, heartbeat and gap events.", "text/event-stream", .string)
          ]),
        codes: [.tooManyStreams], .device { call, device in try await events(call, device) }),
    ]
  }

  /// `POST /api/devices`: creates a device, and a cookie for a browser that has none.
  private static func create(_ call: ConsoleCall, _ dependencies: Application.Dependencies) async throws -> Response {
    let body = call.request.body.isEmpty ? nil : try await call.body(NewDevice.self)
    let wanted = try body?.name.map { try DisplayName.checked($0) }
    let store = dependencies.registry.store
    var cookie: String?
    let browser: BrowserStore.Browser
    if let known = call.browser {
      browser = known
    } else {
      (browser, cookie) = try await store.makeBrowser()
    }
    var made: (record: BrowserStore.DeviceRecord, key: String)?
    if let person = call.person, body?.reuse == true { made = try await store.makeKeyOfLastUsed(browserID: person.id) }
    if made == nil { made = try await store.makeDevice(browserID: browser.id, name: wanted) }
    guard let (record, key) = made else {
      throw Problem(.tooManyAttempts, "This browser or person already has \(BrowserStore.deviceLimit) devices.")
    }
    var response = try Response.body(NewDeviceBody(deviceID: record.id, deviceKey: key, name: record.name), status: .created)
    if let cookie { response.headers[.setCookie] = dependencies.cookie.setting(cookie) }
    return response
  }

  /// `PATCH /api/device`: the name that the pages and new recordings show from now on.
  private static func rename(
    _ call: ConsoleCall, _ device: Device, _ dependencies: Application.Dependencies
  ) async throws -> Response {
    let name = try DisplayName.checked(try await call.body(NameBody.self).name)
    try await dependencies.registry.exclusively(device.id) {
      try await dependencies.registry.store.renameDevice(id: device.id, name)
      await device.takeName(name)
    }
    return try .body(ListedDevice(.init(id: device.id, browserID: device.browserID, name: name)))
  }

  /// `GET /api/devices`: this browser's devices, without their keys, and the user who is signed in on each.
  private static func list(
    _ call: ConsoleCall, _ device: Device, _ dependencies: Application.Dependencies
  ) async throws -> Response {
    // The browser of the call: the device may have had another browser when it woke.
    let browserID = call.browser?.id ?? device.browserID
    let records = try await dependencies.registry.store.devices(browserID: browserID)
    let users = try await dependencies.registry.signedIn(browserID: browserID, backendID: device.backend.id)
    return try .body(
      ListBody(
        devices: records.map { ListedDeviceWithUser($0, user: users[$0.id]) }, person: call.person?.name,
        role: call.person?.role.rawValue))
  }

  /// `GET /api/events`: the device's stream, resumed after the last event that the caller received; a new stream begins with the
  /// session's state.
  private static func events(_ call: ConsoleCall, _ device: Device) async throws -> Response {
    guard device.events.subscriberCount < streamLimit else { throw Problem.tooManyStreams }
    let last = [call.request.headers[.lastEventID], call.query("after")].compactMap { $0 }.first { !$0.isEmpty }
    let subscription = device.events.subscribe(after: last)
    // A page that asks for the state separately would miss a change between the two requests.
    if last == nil, let data = await device.stateEvent() { subscription.sendInitial("session", data: data) }
    return .events(subscription)
  }
}

/// The JSON of a device in a list, without its key.
struct ListedDevice: Codable, SchemaProvider {
  let deviceID: String
  let name: String

  static var schema: Schema { .recorded(from: Self.self).refined(["device_id": .uuid]) }

  init(_ record: BrowserStore.DeviceRecord) { (deviceID, name) = (record.id, record.name) }
}

/// The JSON of a device in a list, with its signed-in user.
struct ListedDeviceWithUser: Codable, SchemaProvider {
  let deviceID: String
  let name: String
  let signedIn: Bool
  /// Masked; missing if it is not known.
  let signedInAs: String?

  static var schema: Schema { .recorded(from: Self.self).refined(["device_id": .uuid]) }

  /// `user` is nil if no user is signed in, and nil inside if the user is unknown.
  init(_ record: BrowserStore.DeviceRecord, user: String??) {
    deviceID = record.id
    name = record.name
    signedIn = user != nil
    signedInAs = user ?? nil
  }
}

/// A new device, with the key that only this answer shows.
struct NewDeviceBody: Codable, SchemaProvider {
  let deviceID: String
  let deviceKey: String
  let name: String

  static var schema: Schema { .recorded(from: Self.self).refined(["device_id": .uuid, "device_key": .length(43...43)]) }
}
