import Client
import Console
import Domain

/// The expectations of checks.
extension CheckContext {
  /// Throws `failed` with the reason if the condition is false.
  func expect(_ isSo: Bool, _ otherwise: @autoclosure () -> String) throws(CheckStop) {
    guard isSo else { throw .failed(otherwise()) }
  }

  /// Expects the body to throw the error.
  func expect<Failure: Error & Equatable>(
    _ wanted: Failure, _ body: () async throws -> Void
  ) async throws(CheckStop) {
    do {
      try await body()
    } catch {
      guard error as? Failure == wanted else {
        throw .failed("expected \(ErrorText.describe(wanted)), got \(ErrorText.describe(error))")
      }
      return
    }
    throw .failed("expected \(ErrorText.describe(wanted)), but it succeeded")
  }

  /// Expects the body to send no call.
  func expectNoCalls(_ body: () async throws -> Void) async throws {
    let before = rows.count
    try await body()
    try expect(rows.count == before, "a call was sent although none should have been")
  }

  /// The backend's configuration; throws `skipped` if it was not fetched.
  func requireConfig() throws(CheckStop) -> AppConfig {
    guard let config else { throw .skipped("requires app-config") }
    return config
  }

  /// The identifier to sign in with; throws `skipped` if there is none.
  func requireIdentifier() throws(CheckStop) -> Identifier {
    _ = try requireConfig()
    guard let identifier else { throw .skipped("requires --identifier") }
    return identifier
  }

  /// The identifier for a call of the sign-in; nil if none is given and the backend file asks for none. Throws `skipped` if the
  /// file asks for one.
  func requireIdentifier(for call: String) throws(CheckStop) -> Identifier? {
    guard identifier == nil, let offer = backend.link.file?.content.offer, !offer.asks(call, for: "identifier") else {
      return try requireIdentifier()
    }
    _ = try requireConfig()
    return nil
  }

  /// The credentials for `login_with_password`, with an empty password if it asks for none; throws `skipped` if one is missing.
  func requirePassword() throws(CheckStop) -> (Identifier?, String) {
    let identifier = try requireIdentifier(for: "login_with_password")
    guard backend.link.file?.content.offer.asks("login_with_password", for: "password") == true else { return (identifier, "") }
    guard let password = backend.password else { throw .skipped("requires --password-file") }
    return (identifier, password)
  }

  /// Throws `skipped` if sent messages cannot be read.
  func requireMessageSource() throws(CheckStop) {
    guard backend.control != nil || backend.command != nil else { throw CheckContext.noMessageSource }
  }

  /// The reason to skip a check if sent messages cannot be read.
  static let noMessageSource = CheckStop.skipped("no source of codes; use --dev-token-file or --code-command")

  /// A signed-in device; throws `skipped` if there is none.
  func signedInDevice() async throws(CheckStop) -> Device {
    for device in [first, second] {
      if let device, await device.client.session.state.isSignedIn { return device }
    }
    throw .skipped("nobody is signed in")
  }

  /// Both devices, signed in to the same account; throws `skipped` if they are not.
  func signedInDevices() async throws(CheckStop) -> (Device, Device) {
    guard let first, let second, await first.client.session.state.isSignedIn, await second.client.session.state.isSignedIn
    else { throw .skipped("two signed-in devices of the account are required") }
    return (first, second)
  }

  /// Signs the device in with a code and fetches its account, as the console does.
  func signIn(_ device: Device, as identifier: Identifier?, code: String) async throws {
    try await LoginWithCode(gateway: device.client.auth)(
      rawIdentifier: identifier?.text, rawCode: code, config: try requireConfig())
    usedCode = code
    try await expectAccount(of: device)
  }

  /// Expects the device to be signed in, and the backend to name the user.
  @discardableResult
  func expectAccount(of device: Device) async throws -> AccountDashboard {
    let account = try await device.loadAccount()
    try expect(account.source != .cache, "the account came from the cache")
    let state = await device.client.session.state
    try expect(state.phase == .authenticated, "the session is \(state.phase.rawValue)")
    return account
  }

  /// Expects the device to be signed out with the reason.
  func expectSignedOut(of device: Device, _ reason: LogoutReason) async throws(CheckStop) {
    let state = await device.client.session.state
    guard state.phase == .signedOut else { throw .failed("the session is still \(state.phase.rawValue)") }
    guard state.reason == reason.rawValue else {
      throw .failed("the session ended with \(state.reason ?? "no reason"), expected \(reason.rawValue)")
    }
  }

  /// Refreshes and expects success.
  func refresh(_ device: Device) async throws(CheckStop) {
    let outcome = await device.client.session.refresh()
    try expect(outcome == .refreshed, "the refresh ended with \(ErrorText.describe(outcome))")
  }

  /// The stored tokens of the device; throws `failed` if there are none.
  func storedTokens(of device: Device) throws(CheckStop) -> StoredTokens {
    guard let tokens = try? tokens(of: device).load() else { throw .failed("the device has no stored tokens") }
    return tokens
  }
}
