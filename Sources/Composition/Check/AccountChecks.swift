import BackendFile
import Client
import Console
import Domain

extension CheckCase {
  /// The account and its profiles.
  static let account: [[CheckCase]] = separately(overview) + [profiles] + separately(settings)

  private static let overview: [CheckCase] = [
    CheckCase("account", "account", "The account is complete and has a profile in use") { context in
      let device = try await context.signedInDevice()
      let account = try await context.expectAccount(of: device)
      try context.expect(!device.client.offer.has(.profiles) || !account.profiles.isEmpty, "the account has no profiles")
      // `GET /rpc/me` may omit the profile in use, but not name one that does not exist.
      let active = account.user.activeProfileID
      try context.expect(
        active == nil || account.profiles.contains { $0.profileID == active }, "the profile in use is not in the list")
      if let (first, second) = try? await context.signedInDevices() {
        let other = try await context.expectAccount(of: first === device ? second : first)
        try context.expect(other.user.accountID == account.user.accountID, "code and link lead to different accounts")
      }
    }
  ]

  private static let profiles: [CheckCase] = [
    CheckCase(
      "profile-create", "account", "A language's profile is created once and returned after that",
      needs: [.getOrCreateAccountProfile, .setActiveProfile]
    ) { context in
      let device = try await context.signedInDevice()
      let language = try await context.otherLanguage(of: device)
      let create = CreateProfile(gateway: device.client.account)
      let config = try context.requireConfig()
      let (made, _) = try await create(languageCode: language, config: config)
      let (got, isNew) = try await create(languageCode: language, config: config)
      try context.expect(!isNew && got.profileID == made.profileID, "the second call returned another profile")
      try context.expect(made.languageCode == language, "the profile has another language")
      let account = try await context.expectAccount(of: device)
      try context.expect(account.profiles.contains { $0.profileID == made.profileID }, "the account does not list it")
      try context.expect(account.activeProfile?.profileID != made.profileID, "creating it also activated it")
    },
    CheckCase(
      "profile-switch", "account", "Another profile can be activated, and then the first again",
      needs: [.getOrCreateAccountProfile, .setActiveProfile]
    ) { context in
      let device = try await context.signedInDevice()
      let before = try await context.expectAccount(of: device)
      guard let active = before.activeProfile,
        let other = before.profiles.first(where: { $0.profileID != active.profileID })
      else { throw CheckStop.skipped("requires profile-create") }
      let switchTo = SwitchProfile(gateway: device.client.account)
      for wanted in [other, active] {
        let answered = try await switchTo(profileID: wanted.profileID, config: try context.requireConfig())
        try context.expect(answered.profileID == wanted.profileID, "the response names another profile")
        let account = try await context.expectAccount(of: device)
        try context.expect(account.user.activeProfileID == wanted.profileID, "the account shows another profile in use")
      }
      try await context.expect(AccountError.profileNotFound) {
        _ = try await switchTo(profileID: "00000000-0000-4000-8000-000000000000", config: try context.requireConfig())
      }
    },
  ]

  private static let settings: [CheckCase] = [
    CheckCase(
      "language", "account", "Another language can be chosen and is saved on the device",
      needs: [.getOrCreateAccountProfile, .setActiveProfile]
    ) { context in
      let device = try await context.signedInDevice()
      let before = try await context.expectAccount(of: device)
      guard let language = before.activeProfile?.languageCode else { throw CheckStop.skipped("no profile is in use") }
      let update = UpdateLanguage(
        gateway: device.client.account, preferences: device.preferences, analytics: device.analytics)
      let config = try context.requireConfig()
      for wanted in [try await context.otherLanguage(of: device), language] {
        let profile = try await update(languageCode: wanted, config: config)
        let account = try await context.expectAccount(of: device)
        try context.expect(account.user.activeProfileID == profile.profileID, "the account shows another profile in use")
        let kept = await device.preferences.preferredLanguageCode()
        try context.expect(profile.languageCode == wanted && kept == wanted, "another language was saved")
      }
      try await context.expectNoCalls {
        try await context.expect(AccountError.unsupportedLanguage) {
          _ = try await update(languageCode: "tlh", config: config)
        }
      }
    },
    CheckCase("analytics", "account", "Opting out of analytics stays on the device and applies at once") { context in
      let device = try await context.signedInDevice()
      let accountID = try await context.expectAccount(of: device).user.accountID
      let config = try context.requireConfig()
      guard config.features.analyticsOptOut else { throw CheckStop.skipped("the backend has no opt-out") }
      let choose = SetAnalyticsOptIn(preferences: device.preferences, analytics: device.analytics)
      try await context.expectNoCalls {
        try await choose(false, accountID: accountID, config: config)
        let isOptedIn = await device.preferences.analyticsOptedIn(accountID)
        try context.expect(!isOptedIn, "the choice was not saved")
        let before = device.timeline.entries.count
        await device.analytics.emit(.settingsOpened)
        try context.expect(device.timeline.entries.count == before, "an event was recorded after opting out")
        try await choose(true, accountID: accountID, config: config)
        await device.analytics.emit(.settingsOpened)
        try context.expect(device.timeline.entries.count > before, "no event was recorded after opting in again")
      }
    },
  ]
}

extension CheckContext {
  /// A supported language that is not in use, preferably one that already has a profile, so that repeated runs add no further
  /// profiles.
  func otherLanguage(of device: Device) async throws -> String {
    let account = try await expectAccount(of: device)
    let active = account.activeProfile?.languageCode
    if let kept = account.profiles.first(where: { $0.languageCode != active }) { return kept.languageCode }
    guard let other = try requireConfig().supportedLanguages.first(where: { $0.code != active }) else {
      throw CheckStop.skipped("the backend supports only one language")
    }
    return other.code
  }
}
