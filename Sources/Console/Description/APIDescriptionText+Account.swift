import HTTPTypes

extension APIDescriptionText {
  private static let language = Schema.body(["language_code": .text])
  private static let account = OperationDescription.Answer.json("The account.", .shared("Account"))

  /// The routes of the account, its profiles and analytics.
  static let accountOperations: [OperationDescription] = [
    OperationDescription(
      method: .get, path: "/api/account", name: "account", tag: "account", summary: "Who is signed in, and what is set.",
      answers: [account], codes: ProblemCode.session),
    OperationDescription(
      method: .post, path: "/api/account/language", name: "updateLanguage", tag: "account",
      summary: "Gets or makes the language's profile and puts it to use.", body: language, answers: [account],
      codes: ProblemCode.session),
    OperationDescription(
      method: .post, path: "/api/account/analytics", name: "setAnalytics", tag: "account",
      summary: "Turns analytics on or off for the account on this device.", body: .body(["opted_in": .flag]),
      answers: [account], codes: ProblemCode.session + [.featureDisabled]),
    OperationDescription(
      method: .post, path: "/api/account/deletion", name: "requestDeletion", tag: "account",
      summary: "Schedules the account's deletion and signs the device out; asked again after a lost answer, the same.",
      body: .body(["confirmation": .word("DELETE")]),
      answers: [.json("Scheduled.", .object(["scheduled_for": .instant]), status: 202)],
      codes: ProblemCode.session + [.featureDisabled, .confirmationMismatch]),
    OperationDescription(
      method: .post, path: "/api/analytics", name: "reportEvent", tag: "account",
      summary: "An event that only a page knows of; kept where the account's choice allows it.",
      body: .body(["name": .word("settings.opened")]), answers: [.noContent]),
    OperationDescription(
      method: .get, path: "/api/profiles", name: "profiles", tag: "account", summary: "The account's profiles.",
      answers: [
        .json(
          "Oldest first.",
          .object(
            ["profiles": .list(.shared("Profile")), "source": .word("network", "cache")], optional: ["active_profile_id": .text]))
      ], codes: ProblemCode.session),
    OperationDescription(
      method: .post, path: "/api/profiles", name: "createProfile", tag: "account",
      summary: "Gets or makes the profile of a language.", body: language,
      answers: [.json("It was there.", .shared("Profile")), .json("It was made.", .shared("Profile"), status: 201)],
      codes: ProblemCode.session),
    OperationDescription(
      method: .post, path: "/api/profiles/active", name: "switchProfile", tag: "account", summary: "Puts a profile to use.",
      body: .body(["profile_id": .text]), answers: [.json("It is in use.", .shared("Profile"))], codes: ProblemCode.session),
  ]
}
