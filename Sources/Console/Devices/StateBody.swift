import Domain
import FoundationEssentials
import JSON
import RPC

/// The JSON of `GET /api/state`, and of the `session` event, which has neither `config` nor identifiers.
struct StateBody: Encodable {
  /// Where the session stands.
  struct Session: Encodable {
    let state: String
    let since: Timestamp
    let reason: String?
    let tokensIssuedAt: Timestamp?
    let accessExpiresAt: Timestamp?
    let refreshExpiresAt: Timestamp?
    let user: UserBody?
  }

  /// A cooldown that is still running.
  struct Cooldown: Encodable {
    let identifierTag: String
    let retryAt: Timestamp
  }

  /// Which backend the device talks to.
  struct Backend: Encodable {
    let url: String
    let embedded: Bool
    let id: String
  }

  /// What is broken on purpose.
  struct Faults: Encodable {
    let armed: Int
  }

  /// A deletion that was asked for without an answer.
  struct Deletion: Encodable {
    let outcome: String
    let askedAt: Timestamp
  }

  let deviceID: String
  let name: String
  let version: String
  let session: Session
  let config: AppConfigBody?
  let cooldowns: [Cooldown]
  let backend: Backend
  let faults: Faults
  /// How many moves of cues have not reached the backend; a logout would lose them.
  let unsentCueEdits: Int
  /// What is shown to developers; nil while nobody is known to be signed in.
  let developer: DeveloperBody?
  /// A deletion whose outcome nobody knows yet; the account tells at its next load.
  let deletion: Deletion?
}

extension StateBody.Session {
  /// Writes a state; `showsIdentifiers` is off for the event stream, which carries none.
  init(_ state: SessionState, showsIdentifiers: Bool) {
    self.init(
      state: state.phase.rawValue, since: Timestamp(state.since), reason: state.reason,
      tokensIssuedAt: state.tokensIssuedAt.map { Timestamp($0) },
      accessExpiresAt: state.accessExpiresAt.map { Timestamp($0) },
      refreshExpiresAt: state.refreshExpiresAt.map { Timestamp($0) },
      user: state.user.map { UserBody($0, showsIdentifiers: showsIdentifiers) })
  }
}

/// The JSON of a user.
struct UserBody: Encodable {
  let userID: String
  let accountID: String
  let email: String?
  let phone: String?
  let displayName: String?
  let roles: [String]
  let activeProfileID: String?
  let createdAt: Timestamp
  let deletionScheduledFor: Timestamp?

  /// Writes a user, with or without what tells who that is.
  init(_ user: User, showsIdentifiers: Bool) {
    userID = user.userID
    accountID = user.accountID
    email = showsIdentifiers ? user.email : nil
    phone = showsIdentifiers ? user.phone : nil
    displayName = showsIdentifiers ? user.displayName : nil
    roles = user.roles
    activeProfileID = user.activeProfileID
    createdAt = Timestamp(user.createdAt)
    deletionScheduledFor = user.deletionScheduledFor.map { Timestamp($0) }
  }
}

/// Whether developer tools are for a user: both the backend's switch and the user's role say so (seed 002 §4.2).
struct DeveloperBody: Encodable {
  /// Both of the below.
  let tools: Bool
  let flag: Bool
  let role: Bool

  /// Judges a user under a configuration.
  init(_ user: User, _ config: AppConfig) {
    (flag, role) = (config.features.developerTools, user.isDeveloper)
    tools = flag && role
  }
}

/// The JSON of `GET /api/account` (contract §2.3).
struct AccountBody: Encodable {
  /// What this device keeps for the account.
  struct Settings: Encodable {
    let analyticsOptedIn: Bool
    let preferredLanguageCode: String
  }

  let user: UserBody
  let profiles: [ProfileBody]
  let activeProfile: ProfileBody?
  let config: AppConfigBody
  let settings: Settings
  let developer: DeveloperBody
  let source: String

  /// Writes a dashboard with what the device keeps.
  init(_ dashboard: AccountDashboard, settings: Settings) {
    user = UserBody(dashboard.user, showsIdentifiers: true)
    profiles = dashboard.profiles.map { ProfileBody($0) }
    activeProfile = dashboard.activeProfile.map { ProfileBody($0) }
    config = AppConfigBody(dashboard.config)
    self.settings = settings
    developer = DeveloperBody(dashboard.user, dashboard.config)
    source = dashboard.source.rawValue
  }
}

extension ProfileBody {
  /// Writes a profile in the form that the backend uses too.
  init(_ profile: Profile) {
    self.init(
      profileID: profile.profileID, languageCode: profile.languageCode, displayName: profile.displayName,
      createdAt: Timestamp(profile.createdAt))
  }
}

extension AppConfigBody {
  /// Writes a configuration in the form that the backend uses too.
  init(_ config: AppConfig) {
    self.init(
      defaultLanguageCode: config.defaultLanguageCode,
      supportedLanguages: config.supportedLanguages.map { Language(code: $0.code, name: $0.name) },
      features: Features(
        loginCode: config.features.loginCode, analyticsOptOut: config.features.analyticsOptOut,
        developerTools: config.features.developerTools, accountDeletion: config.features.accountDeletion,
        logoutEndpoint: config.features.logoutEndpoint, idempotencyKeys: config.features.idempotencyKeys),
      auth: Auth(
        cooldownSeconds: config.cooldownSeconds, codeLength: config.codeLength, trustedLinkHosts: config.trustedLinkHosts),
      networkLog: NetworkLog(capacity: config.networkLogCapacity),
      session: Session(refreshMarginSeconds: config.refreshMarginSeconds))
  }
}
