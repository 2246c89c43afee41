import HTTPTypes

extension APIDescriptionText {
  private static let page = Schema.object([
    "events": .list(.shared("NetworkRow")), "next": .number(from: 0), "dropped": .number(from: 0), "capacity": .number(from: 1),
  ])
  private static let detail = Schema.shared(
    "NetworkRow",
    with: .body(
      [
        "url": .text, "request": .shared("NetworkMessage"), "timings": .anyObject,
        "redactions": .list(.object(["where": .text, "kind": .text, "count": .number(from: 1)])),
      ], optional: ["response": .shared("NetworkMessage"), "error_detail": .text]))

  /// The routes of the network log and the timeline.
  static let networkOperations: [OperationDescription] = [
    OperationDescription(
      method: .get, path: "/api/timeline", name: "timeline", tag: "network",
      summary: "Session transitions, analytics and faults, with the rows that caused them.",
      answers: [.json("Oldest first.", .object(["entries": .list(.shared("TimelineEntry"))]))]),
    OperationDescription(
      method: .get, path: "/api/network", name: "networkRows", tag: "network", summary: "The rows of the log.",
      query: [
        .init(name: "method", description: "The method.", schema: .text),
        .init(name: "status", description: "A status such as 503, a hundred such as 4xx, or err.", schema: .text),
        .init(name: "endpoint", description: "The endpoint's name.", schema: .text),
        .init(name: "q", description: "Text in method, path, endpoint, flow, status or error.", schema: .text),
        .init(name: "after", description: "Rows with a greater seq.", schema: .number(from: 0)),
        .init(name: "limit", description: "At most so many.", schema: .number(1...10_000)),
      ], answers: [.json("Oldest first.", page)], codes: [.invalidRequest]),
    OperationDescription(
      method: .get, path: "/api/network/search", name: "searchNetworkBodies", tag: "network",
      summary: "The rows with a text in a body, as far as one short look goes; ask on until it is done.",
      query: [
        .init(name: "body", description: "The text; ASCII letters match in either case.", schema: .text),
        .init(name: "after", description: "Rows with a greater seq.", schema: .number(from: 0)),
      ],
      answers: [
        .json(
          "The seq of each, oldest first.",
          .object(["matches": .list(.number(from: 1)), "next": .number(from: 0), "done": .flag]))
      ], codes: [.invalidRequest]),
    OperationDescription(
      method: .post, path: "/api/network/{id}/pin", name: "pinNetworkRow", tag: "network",
      summary: "Keeps a row when older ones give way, or lets it go its way again.", body: .body(["pinned": .flag]),
      answers: [.json("The row.", .shared("NetworkRow"))], codes: [.notFound, .conflict]),
    OperationDescription(
      method: .get, path: "/api/network/{id}", name: "networkRow", tag: "network", summary: "One row whole.",
      answers: [.json("The row with its messages, redacted.", detail)], codes: [.notFound]),
    OperationDescription(
      method: .delete, path: "/api/network", name: "clearNetwork", tag: "network", summary: "Empties the log.",
      answers: [.noContent]),
  ]
}
