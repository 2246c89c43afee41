package import FoundationEssentials

/// Requests the deletion of the account, then signs this device out (seed-rules A-51 "Deleting the account").
package struct RequestAccountDeletion: Sendable {
  /// The word that confirms the deletion, in every language.
  package static let confirmation = "DELETE"

  private let gateway: AccountGateway
  private let logout: Logout

  package init(gateway: AccountGateway, logout: Logout) {
    self.gateway = gateway
    self.logout = logout
  }

  /// Requests the deletion, signs out, and returns when the account will be deleted; nil if the backend sends no date.
  ///
  /// If the response is lost, fetches the account to see whether the backend scheduled the deletion. Throws
  /// `AccountError.outcomeUnknown` if that fails too; a second request is safe, because the backend schedules only once.
  package func callAsFunction(confirmation: String, config: AppConfig) async throws(AccountError) -> Date? {
    guard confirmation == Self.confirmation else { throw .confirmationMismatch }
    guard config.features.accountDeletion else { throw .featureDisabled }
    var scheduledFor: Date?
    do {
      scheduledFor = try await gateway.requestDeletion()
      // The account may show a date that the response left out.
      if scheduledFor == nil { scheduledFor = try? await gateway.fetchMe().user.deletionScheduledFor }
    } catch .outcomeUnknown(let failure) {
      scheduledFor = try await scheduled(after: failure)
    }
    await logout(reason: .accountDeletion)
    return scheduledFor
  }

  /// Fetches the date that the account shows; throws `failed` if it shows none, which means that the request had no effect.
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
    // A cached account may be older than the request.
    throw account.source == .network ? .failed(failure) : .outcomeUnknown(failure)
  }
}
