package import FoundationEssentials

/// Asks the backend to delete the account, then signs this device out (seed 002 §4.2).
package struct RequestAccountDeletion: Sendable {
  /// What has to be typed to confirm, whatever the language of the page.
  package static let confirmation = "DELETE"

  private let gateway: AccountGateway
  private let logout: Logout

  /// Makes the use case of its ports.
  package init(gateway: AccountGateway, logout: Logout) {
    self.gateway = gateway
    self.logout = logout
  }

  /// Asks for the deletion; returns when the account goes for good, with the device signed out.
  ///
  /// Where the answer is lost, the account is asked whether the deletion is scheduled: only what the backend says counts. Throws
  /// `AccountError.outcomeUnknown` where that cannot be learned either; asking again is safe, since the backend schedules once.
  package func callAsFunction(confirmation: String, config: AppConfig) async throws(AccountError) -> Date {
    guard confirmation == Self.confirmation else { throw .confirmationMismatch }
    guard config.features.accountDeletion else { throw .featureDisabled }
    let scheduledFor: Date
    do {
      scheduledFor = try await gateway.requestDeletion()
    } catch .outcomeUnknown(let failure) {
      scheduledFor = try await scheduled(after: failure)
    }
    await logout(reason: .accountDeletion)
    return scheduledFor
  }

  /// The schedule that the account shows; throws `failed` where it shows none, so that the request did not take effect.
  private func scheduled(after failure: CallFailure) async throws(AccountError) -> Date {
    let account: FetchedAccount
    do {
      account = try await gateway.fetchMe()
    } catch .sessionEnded {
      throw .sessionEnded
    } catch {
      throw .outcomeUnknown(failure)
    }
    if let instant = account.user.deletionScheduledFor { return instant }
    // What was kept is from before: it cannot tell that nothing is scheduled.
    throw account.source == .cache ? .outcomeUnknown(failure) : .failed(failure)
  }
}
