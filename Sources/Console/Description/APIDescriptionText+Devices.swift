import HTTPTypes

extension APIDescriptionText {
  /// The routes of the program and of devices.
  static let deviceOperations: [OperationDescription] = [
    OperationDescription(
      method: .get, path: "/healthz", name: "health", tag: "console", summary: "Whether the console answers.", caller: .anybody,
      answers: [.json("It does.", .object(["status": .word("ok"), "version": .text]))]),
    OperationDescription(
      method: .get, path: "/", name: "home", tag: "console",
      summary: "Leads to the settings of whoever is signed in, else to the login.", caller: .anybody,
      answers: [.init(status: 302, description: "To /settings or /login.")]),
    OperationDescription(
      method: .get, path: "/metrics", name: "metrics", tag: "console", summary: "What the server did, as Prometheus text.",
      caller: .anybody, answers: [.text("The counters.", type: "text/plain")], codes: [.accessRequired, .tooManyAttempts]),
    OperationDescription(
      method: .get, path: "/api/openapi.json", name: "openapi", tag: "console", summary: "This description.", caller: .anybody,
      answers: [.json("OpenAPI 3.1.", .anyObject)], codes: [.originRefused, .unsupportedMediaType]),
    OperationDescription(
      method: .post, path: "/api/access", name: "access", tag: "console",
      summary: "Exchanges the console's access token for a cookie.", caller: .anybody, body: .body(["token": .text]),
      answers: [.noContent], codes: [.accessRequired, .tooManyAttempts]),
    OperationDescription(
      method: .get, path: "/clear-cookies", name: "clearCookies", tag: "console",
      summary: "Has the browser clear this address's cookies, if one of the console's own pages leads here.", caller: .anybody,
      answers: [
        .init(status: 303, description: "To /, with Clear-Site-Data."), .text("A page that offers it.", type: "text/html"),
      ]),
    OperationDescription(
      method: .post, path: "/api/browser", name: "recoverBrowser", tag: "devices",
      summary: "Gives a browser that lost its cookie another, for the devices whose keys it proves.", caller: .browser,
      body: .body(["device_keys": .list(.text)]),
      answers: [
        .json(
          "The devices, which belong to the new browser from now on, and the places of the keys that are no device's.",
          .object(["devices": .list(.object(["device_id": .uuid, "name": .text])), "unknown": .list(.number(from: 0))]))
      ]),
    OperationDescription(
      method: .post, path: "/api/devices", name: "createDevice", tag: "devices",
      summary: "Makes a device, and the browser's cookie where it has none.", caller: .browser,
      body: .body(optional: ["name": .text(1...60)]), isBodyOptional: true,
      answers: [
        .json(
          "The only answer that shows its key.", .object(["device_id": .uuid, "device_key": .text(43...43), "name": .text]),
          status: 201)
      ], codes: [.tooManyAttempts]),
    OperationDescription(
      method: .get, path: "/api/devices", name: "devices", tag: "devices", summary: "This browser's devices, without keys.",
      answers: [
        .json("Oldest first.", .object(["devices": .list(.object(["device_id": .uuid, "name": .text]))]))
      ]),
    OperationDescription(
      method: .delete, path: "/api/device", name: "factoryReset", tag: "devices",
      summary: "Forgets the device; nothing of it is left.", answers: [.noContent]),
    OperationDescription(
      method: .get, path: "/api/state", name: "state", tag: "devices", summary: "Where the device stands.",
      answers: [.json("The state.", .shared("State"))]),
    OperationDescription(
      method: .get, path: "/api/events", name: "events", tag: "devices",
      summary: "What happens to the device, as server-sent events; resumed by Last-Event-ID or after.",
      query: [.init(name: "after", description: "The id of the event that was seen last.", schema: .text)],
      answers: [
        .text("A stream of session, network, inbox, fault, cue, config, heartbeat and gap events.", type: "text/event-stream")
      ], codes: [.tooManyStreams]),
  ]
}
