import HTTPTypes

extension APIDescriptionText {
  private static let identifier = Schema.body(["identifier": .text])
  private static let receipt = OperationDescription.Answer.json(
    "A message is on its way.",
    .object(["identifier_masked": .text, "cooldown_seconds": .number(from: 0), "expires_in_seconds": .number(from: 0)]),
    status: 202)
  private static let signedIn = OperationDescription.Answer.json("Signed in; the browser's cookie is new.", .shared("State"))

  /// The routes of signing in, and of the session that it begins.
  static let loginOperations: [OperationDescription] = [
    OperationDescription(
      method: .post, path: "/api/login/magic-link", name: "requestMagicLink", tag: "login", summary: "Asks for a link.",
      body: identifier, answers: [receipt], codes: ProblemCode.backend + [.invalidIdentifier, .cooldown]),
    OperationDescription(
      method: .post, path: "/api/login/code", name: "requestLoginCode", tag: "login", summary: "Asks for a code.",
      body: identifier, answers: [receipt], codes: ProblemCode.backend + [.invalidIdentifier, .cooldown, .featureDisabled]),
    OperationDescription(
      method: .post, path: "/api/login/magic-link/complete", name: "completeMagicLink", tag: "login",
      summary: "Signs in with a link, or its token; a link of another device needs accept_foreign.",
      body: .body(optional: ["url": .text, "token": .text, "state": .text, "accept_foreign": .flag]), answers: [signedIn],
      codes: ProblemCode.backend + [.loginLinkInvalid, .linkUntrusted]),
    OperationDescription(
      method: .post, path: "/api/login/code/verify", name: "verifyCode", tag: "login", summary: "Signs in with a code.",
      body: .body(["identifier": .text, "code": .text]), answers: [signedIn],
      codes: ProblemCode.backend + [.invalidIdentifier, .loginCodeInvalid]),
    OperationDescription(
      method: .post, path: "/api/logout", name: "logout", tag: "session", summary: "Ends the session on this device.",
      body: .body(optional: ["discard": .flag]), isBodyOptional: true, answers: [.json("Signed out.", .shared("State"))],
      codes: [.unsyncedEdits]),
    OperationDescription(
      method: .post, path: "/api/session/refresh", name: "refreshSession", tag: "session", summary: "Refreshes the tokens now.",
      answers: [.json("Refreshed.", .shared("State"))], codes: ProblemCode.session),
    OperationDescription(
      method: .post, path: "/api/session/relaunch", name: "relaunch", tag: "session",
      summary: "Ends the app on the device and launches it again.", answers: [.json("Launched.", .shared("State"))]),
  ]
}
