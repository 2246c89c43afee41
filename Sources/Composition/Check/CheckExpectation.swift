import Client
import Console
import Domain

/// What checks say of what they see.
extension CheckContext {
  /// Throws `failed` with the reason where something is not so.
  func expect(_ isSo: Bool, _ otherwise: @autoclosure () -> String) throws(CheckStop) {
    guard isSo else { throw .failed(otherwise()) }
  }

  /// Expects the error, which is what makes the check pass.
  func expect<Failure: Error & Equatable>(
    _ wanted: Failure, _ called: String, _ body: () async throws -> Void
  ) async throws(CheckStop) {
    do {
      try await body()
    } catch {
      guard error as? Failure == wanted else { throw .failed("expected \(called), got \(ErrorText.describe(error))") }
      return
    }
    throw .failed("expected \(called), but it was let through")
  }

  /// Expects that the body sends nothing.
  func expectNoCalls(_ body: () async throws -> Void) async throws {
    let before = rows.count
    try await body()
    try expect(rows.count == before, "a call went out where none should")
  }

  /// What the backend said of itself; throws `skipped` before it did.
  func requireConfig() throws(CheckStop) -> AppConfig {
    guard let config else { throw .skipped("needs app-config") }
    return config
  }

  /// Whom to sign in; throws `skipped` where nobody is known.
  func requireIdentifier() throws(CheckStop) -> Identifier {
    _ = try requireConfig()
    guard let identifier else { throw .skipped("needs --identifier") }
    return identifier
  }

  /// Throws `skipped` where what is sent cannot be read.
  func requireMessageSource() throws(CheckStop) {
    guard backend.control != nil || backend.command != nil else { throw CheckContext.noMessageSource }
  }

  /// Why what follows a request is skipped where what was sent cannot be read.
  static let noMessageSource = CheckStop.skipped("no source of codes; --dev-token-file or --code-command gives one")

  /// A device that is signed in; throws `skipped` where none is.
  func signedInDevice() async throws(CheckStop) -> Device {
    for device in [first, second] {
      if let device, await device.client.session.state.isSignedIn { return device }
    }
    throw .skipped("nobody is signed in")
  }

  /// Both devices, signed in to the same account; throws `skipped` where they are not.
  func signedInDevices() async throws(CheckStop) -> (Device, Device) {
    guard let first, let second, await first.client.session.state.isSignedIn, await second.client.session.state.isSignedIn
    else { throw .skipped("two devices of the account are needed") }
    return (first, second)
  }

  /// Signs the device in with a code, and fetches its account as the console does.
  func signIn(_ device: Device, as identifier: Identifier, code: String) async throws {
    try await LoginWithCode(gateway: device.client.auth)(
      rawIdentifier: identifier.text, rawCode: code, config: try requireConfig())
    usedCode = code
    try await expectAccount(of: device)
  }

  /// Expects that the device is signed in, and that the backend says to whom.
  @discardableResult
  func expectAccount(of device: Device) async throws -> AccountDashboard {
    let account = try await device.loadAccount()
    try expect(account.source == .network, "the account came from the cache")
    let state = await device.client.session.state
    try expect(state.phase == .authenticated, "the session is \(state.phase.rawValue)")
    return account
  }

  /// Expects that the device was signed out for the reason.
  func expectSignedOut(of device: Device, _ reason: LogoutReason) async throws(CheckStop) {
    let state = await device.client.session.state
    guard state.phase == .signedOut else { throw .failed("the session is \(state.phase.rawValue) still") }
    guard state.reason == reason.rawValue else {
      throw .failed("the session ended by \(state.reason ?? "nothing"), expected \(reason.rawValue)")
    }
  }

  /// Refreshes and expects that it works.
  func refresh(_ device: Device) async throws(CheckStop) {
    let outcome = await device.client.session.refresh()
    try expect(outcome == .refreshed, "the refresh ended with \(ErrorText.describe(outcome))")
  }

  /// The tokens that the device keeps; throws `failed` where there are none.
  func storedTokens(of device: Device) throws(CheckStop) -> StoredTokens {
    guard let tokens = try? tokens(of: device).load() else { throw .failed("the device keeps no tokens") }
    return tokens
  }
}
