import HTTPTypes

extension APIDescriptionText {
  private static let stage = Schema.word("new", "learning", "review", "mastered")

  /// The routes of cues.
  static let cueOperations: [OperationDescription] = [
    OperationDescription(
      method: .get, path: "/api/cues", name: "cues", tag: "cues", summary: "The active profile's cues, as they are kept here.",
      answers: [
        .json(
          "In their order.",
          .object(["cues": .list(.shared("Cue")), "source": .word("network", "cache"), "synced_at": .instant]))
      ], codes: ProblemCode.session),
    OperationDescription(
      method: .post, path: "/api/cues/shuffle", name: "shuffleCues", tag: "cues",
      summary: "Puts the cues into another order; needs the backend.",
      answers: [.json("In their new order.", .object(["cues": .list(.shared("Cue"))]))], codes: ProblemCode.session),
    OperationDescription(
      method: .post, path: "/api/cues/{cue_id}/stage", name: "moveCue", tag: "cues", summary: "Moves a cue to a stage.",
      body: .body(["stage": stage]),
      answers: [
        .json("The backend has it.", .shared("Cue")),
        .json("It is kept here and goes out later.", .shared("Cue"), status: 202),
      ], codes: ProblemCode.session),
  ]
}
