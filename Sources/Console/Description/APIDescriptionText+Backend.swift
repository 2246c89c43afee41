import HTTPTypes

extension APIDescriptionText {
  /// What every route of the embedded backend may answer: it is another one, or the caller is not the console's owner.
  private static let elsewhere: [ProblemCode] = [.featureDisabled, .notFound]

  /// The routes of the embedded backend.
  static let backendOperations: [OperationDescription] = [
    OperationDescription(
      method: .get, path: "/api/inbox", name: "inbox", tag: "backend",
      summary: "The messages to the identifiers that this browser asked for.",
      query: [
        .init(name: "to", description: "To this identifier alone.", schema: .text),
        .init(name: "after", description: "After the message of that id.", schema: .text),
        .init(name: "wait", description: "Seconds to wait for one.", schema: .number(0...30)),
        .init(name: "all", description: "To anybody; for the console's owner on this machine only.", schema: .word("1")),
      ],
      answers: [
        .json("Oldest first.", .object(["messages": .list(.shared("Message")), "server_time": .instant]))
      ], codes: elsewhere + [.invalidRequest, .invalidIdentifier, .tooManyStreams]),
    OperationDescription(
      method: .post, path: "/api/inbox/{id}/scan", name: "scanMessage", tag: "backend",
      summary: "A mail scanner's visit to the link of a message.",
      answers: [
        .json(
          "What it asked for and got, and whether the link is as good as before.",
          .object([
            "url": .text, "steps": .list(.object(["method": .text], optional: ["status": .number(from: 100)])),
            "unchanged": .flag,
          ]))
      ], codes: elsewhere),
    OperationDescription(
      method: .get, path: "/api/backend/limits", name: "limits", tag: "backend",
      summary: "How often messages are sent, and what is counted for the identifiers that this browser asked for.",
      answers: [
        .json(
          "The mode and what is counted.",
          .object([
            "mode": .word("prod", "relaxed", "off"), "server_time": .instant,
            "entries": .list(
              .object(["identifier": .text, "sent": .number(from: 0), "last_sent_at": .instant, "next_at": .instant])),
          ]))
      ], codes: elsewhere),
    OperationDescription(
      method: .post, path: "/api/backend/clock", name: "setClock", tag: "backend",
      summary: "Moves the backend's clock on, or sets it right.",
      body: .body(optional: ["advance_seconds": .number(1...34_560_000), "reset": .yes]),
      answers: [.json("What it shows.", .object(["offset_seconds": .number(from: 0), "now": .instant]))], codes: elsewhere),
    OperationDescription(
      method: .post, path: "/api/backend/limits", name: "setLimits", tag: "backend", summary: "How often messages are sent.",
      body: .body(optional: ["mode": .word("prod", "relaxed", "off"), "reset": .yes]),
      answers: [.json("The mode.", .object(["mode": .word("prod", "relaxed", "off")]))], codes: elsewhere),
    OperationDescription(
      method: .post, path: "/api/backend/reset", name: "resetBackend", tag: "backend",
      summary: "Forgets the backend's accounts, sessions and messages.", answers: [.noContent], codes: elsewhere),
  ]
}
