import HTTPTypes

extension APIDescriptionText {
  private static let file = OperationDescription.Answer(
    status: 200,
    description:
      "The file as an attachment; X-Export-Rows counts its rows, X-Export-Masks what is masked in them, X-Export-Secrets the live secrets that were not found in it.",
    content: ("application/zip", Schema(json: #"{"type":"string","format":"binary"}"#)))
  private static let sent = OperationDescription.Answer.json(
    "The row of the first attempt; the answer arrives in the log.", .object(["id": .uuid]), status: 202)
  private static let sendCodes: [ProblemCode] = ProblemCode.session + [.invalidRequest, .notReplayable, .maskNotHeld]

  /// A row as text to be copied.
  private static func copy(_ path: String, name: String, summary: String, type: String = "text/plain") -> OperationDescription {
    OperationDescription(
      method: .get, path: "/api/network/{id}/\(path)", name: name, tag: "network", summary: summary,
      answers: [.text("Secrets are masked.", type: type)], codes: [.notFound, .exportRefused])
  }

  /// The routes of exports, copies, replay and composer.
  static let exportOperations: [OperationDescription] = [
    OperationDescription(
      method: .get, path: "/api/network/export", name: "exportNetwork", tag: "network",
      summary: "The log as a zip bundle, HAR 1.2 or JSON.",
      query: [
        .init(name: "format", description: "zip by default.", schema: .word("zip", "har", "json")),
        .init(name: "ids", description: "Ids of rows, comma-separated; all where it is missing.", schema: .text),
        .init(name: "method", description: "As in the list.", schema: .text),
        .init(name: "status", description: "As in the list.", schema: .text),
        .init(name: "endpoint", description: "As in the list.", schema: .text),
        .init(name: "q", description: "As in the list.", schema: .text),
        .init(name: "after", description: "As in the list.", schema: .number(from: 0)),
        .init(name: "limit", description: "As in the list.", schema: .number(1...10_000)),
      ], answers: [file], codes: [.invalidRequest, .exportRefused, .tooManyAttempts]),
    OperationDescription(
      method: .post, path: "/api/network/export", name: "exportRows", tag: "network",
      summary: "The named rows as a zip bundle, HAR 1.2 or JSON.",
      body: .body(["ids": .list(.text)], optional: ["format": .word("zip", "har", "json")]), answers: [file],
      codes: [.exportRefused, .tooManyAttempts]),
    copy("curl", name: "rowAsCurl", summary: "A command for a POSIX shell; variables stand in the place of secrets."),
    copy("swift", name: "rowAsSwift", summary: "A program for URLSession; secrets are read from the environment."),
    copy("markdown", name: "rowAsMarkdown", summary: "A report for a ticket.", type: "text/markdown"),
    OperationDescription(
      method: .post, path: "/api/network/{id}/replay", name: "replayRow", tag: "network",
      summary: "Sends a row again with the current session, changed where the body says so.",
      body: .body(optional: [
        "path": .text, "query": .text, "body": Schema(json: #"{"description":"Text as it is sent, or JSON."}"#), "confirm": .flag,
      ]), answers: [sent], codes: sendCodes + [.notFound]),
    OperationDescription(
      method: .post, path: "/api/network/requests", name: "composeRequest", tag: "network",
      summary: "Sends a request of one's own to the configured backend.",
      body: .body(
        ["method": .word("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"), "path": .text, "auth": .flag],
        optional: ["query": .text, "body": Schema(json: #"{"description":"Text as it is sent, or JSON."}"#), "confirm": .flag]),
      answers: [sent], codes: sendCodes),
  ]
}
