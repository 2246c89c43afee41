import BackendFile
import Domain
import JSON
import RPC

extension AccountGateway {
  /// The account operations as calls to the backend.
  ///
  /// `onConfig` is called with every configuration that the backend sends, before it is returned.
  static func backend(api: APIClient, onConfig: @escaping @Sendable (AppConfig) async -> Void) -> AccountGateway {
    AccountGateway(
      fetchMe: { () throws(AccountError) in
        if let file = api.attemptSender.configuration.backendFile?.content, !file.offer.has(.account) {
          return try await accountFromSignIn(api, file)
        }
        do throws(NetworkError) {
          let receipt = try await api.receive(AccountEndpoints.Me(), body: NoBody())
          let user = User(receipt.body)
          if let epoch = receipt.epoch { await api.session.setUser(user, epoch: epoch) }
          return FetchedAccount(
            user: user, profiles: (receipt.body.profiles ?? []).map(Profile.init),
            source: AccountDashboard.Source(receipt.source), syncedAt: receipt.storedAt ?? api.time.wall())
        } catch {
          throw AccountError(error, isSignedIn: await api.session.state.isSignedIn)
        }
      },
      fetchAppConfig: { () throws(AccountError) in
        do throws(NetworkError) {
          let file = api.attemptSender.configuration.backendFile?.content
          let config =
            if let file, !file.definition.has(.appConfig) {
              AppConfig(file)
            } else {
              AppConfig(try await api.send(AppEndpoints.AppConfig())).limited(to: file?.offer)
            }
          await onConfig(config)
          return config
        } catch {
          throw AccountError(error, isSignedIn: true)
        }
      },
      getOrCreateProfile: { accountID, code throws(AccountError) in
        try await profile(api, AccountEndpoints.GetOrCreateProfile(), accountID, code)
      },
      setActiveProfile: { accountID, code throws(AccountError) in
        try await profile(api, AccountEndpoints.SetActiveProfile(), accountID, code)
      },
      requestDeletion: { () throws(AccountError) in
        do throws(TrackedCallError) {
          return try await api.sendTrackingEffect(AccountEndpoints.RequestDeletion()).scheduledFor?.date
        } catch {
          let failure = AccountError(error.error, isSignedIn: await api.session.state.isSignedIn)
          guard error.mayHaveReachedBackend, error.error.leavesOutcomeOpen, case .failed(let cause) = failure else {
            throw failure
          }
          throw .outcomeUnknown(cause)
        }
      })
  }

  /// The codes for a language that the backend does not support, of the reference backend first.
  private static let unsupportedLanguageCodes: Set = [
    BackendErrorCode.invalidRequest, "unsupported_language", "invalid_language", "invalid_language_code",
  ]

  /// The account from the sign-in, for a backend that has no call for it.
  private static func accountFromSignIn(
    _ api: APIClient, _ file: ActiveBackendFile.Content
  ) async throws(AccountError) -> FetchedAccount {
    guard let (json, epoch) = await api.session.accountFromSignIn else { throw .signedOut }
    // A session that began under another file has no account.
    let bytes = json.map { Array($0.utf8) } ?? file.definition.account(from: CapturedValues()).bytes
    guard let document = try? JSONDocument(parsing: bytes),
      let body = try? JSONCoding.decodeTolerantly(MeBody.self, from: document, notes: JSONReadNotes())
    else { throw .failed(.unexpectedPayload) }
    let user = User(body)
    await api.session.setUser(user, epoch: epoch)
    return FetchedAccount(
      user: user, profiles: (body.profiles ?? []).map(Profile.init), source: .network, syncedAt: api.time.wall())
  }

  private static func profile<E: APIEndpoint>(
    _ api: APIClient, _ endpoint: E, _ accountID: String, _ languageCode: String
  ) async throws(AccountError) -> Profile where E.RequestBody == ProfileRequest, E.ResponseBody == ProfileBody {
    do throws(NetworkError) {
      let body = try await api.send(endpoint, body: ProfileRequest(accountID: accountID, languageCode: languageCode))
      return Profile(body).completed(by: languageCode)
    } catch {
      // The client fills in both members of the body, and only the language can be one that the backend does not support.
      if let code = error.backendCode, unsupportedLanguageCodes.contains(code) { throw .unsupportedLanguage }
      throw AccountError(error, isSignedIn: await api.session.state.isSignedIn)
    }
  }
}

extension AppConfig {
  /// The configuration of a backend file without a call for it.
  fileprivate init(_ file: ActiveBackendFile.Content) {
    let written = file.definition.config ?? .object([])
    let body = (try? JSONDocument(parsing: written.bytes)).flatMap { document in
      try? JSONCoding.decodeTolerantly(AppConfigBody.self, from: document, notes: JSONReadNotes())
    }
    self = (body.map { AppConfig($0) } ?? AppConfig()).limited(to: file.offer)
  }

  /// Without the features that a backend file has no calls for.
  fileprivate func limited(to offer: BackendOffer?) -> AppConfig {
    guard let offer else { return self }
    var config = self
    config.features.loginCode = config.features.loginCode && offer.has(.signInByCode)
    config.features.accountDeletion = config.features.accountDeletion && offer.has(.deletion)
    config.features.logoutEndpoint = offer.has(.logout)
    return config
  }
}

extension NetworkError {
  /// Whether the last attempt ended without a verdict of the backend, so that an earlier one may have succeeded.
  fileprivate var leavesOutcomeOpen: Bool {
    switch self {
    case .offline, .timeout, .connectionLost, .transport, .server, .unexpectedPayload: true
    default: false
    }
  }
}

extension AccountDashboard.Source {
  /// Maps where a response came from.
  init(_ source: ResponseSource) {
    self =
      switch source {
      case .network: .network
      case .freshCache: .freshCache
      case .cache: .cache
      }
  }
}

extension User {
  /// Maps the user.
  init(_ body: MeBody) {
    self.init(
      userID: body.userID, accountID: body.accountID, email: body.email, phone: body.phone, displayName: body.displayName,
      roles: body.roles ?? [], activeProfileID: body.activeProfileID, createdAt: body.createdAt?.date,
      deletionScheduledFor: body.deletionScheduledFor?.date, allowsAnalytics: body.allowsAnalytics)
  }
}

extension Profile {
  /// Maps a profile.
  init(_ body: ProfileBody) {
    self.init(
      profileID: body.profileID, languageCode: body.languageCode, displayName: body.displayName, createdAt: body.createdAt?.date)
  }
}

extension AppConfig {
  /// Maps the configuration; clamps numbers to a sensible range.
  init(_ body: AppConfigBody) {
    self.init()
    defaultLanguageCode = body.defaultLanguageCode
    supportedLanguages = body.supportedLanguages.map { Language(code: $0.code, name: $0.name) }
    features.loginCode = body.features.loginCode
    features.analyticsOptOut = body.features.analyticsOptOut
    features.developerTools = body.features.developerTools
    features.accountDeletion = body.features.accountDeletion
    features.logoutEndpoint = body.features.logoutEndpoint
    features.idempotencyKeys = body.features.idempotencyKeys
    cooldownSeconds = min(max(body.auth.cooldownSeconds, 0), 86_400)
    codeLength = min(max(body.auth.codeLength, 1), 32)
    trustedLinkHosts = body.auth.trustedLinkHosts
    networkLogCapacity = min(max(body.networkLog.capacity, 1), 100_000)
    refreshMarginSeconds = min(max(body.session.refreshMarginSeconds, 0), 86_400)
  }
}
