import Client
package import Domain
import FoundationEssentials
import Logging
import Locking

extension Device {
  /// The device's stored data for accounts, as the use cases expect it.
  package var preferences: AccountPreferences {
    let settings = settings
    let session = client.session
    return AccountPreferences(
      analyticsOptedIn: { await settings.analyticsOptedIn(accountID: $0) },
      setAnalyticsOptedIn: { accountID, isOptedIn throws(AccountError) in
        try await settings.setAnalyticsOptedIn(accountID: accountID, isOptedIn)
      },
      preferredLanguageCode: { await session.preferredLanguageCode },
      setPreferredLanguageCode: { try? await session.setPreferredLanguageCode($0) })
  }

  /// Analytics, written to the timeline and to the log `analytics`.
  package var analytics: Analytics {
    let settings = settings
    let session = client.session
    let timeline = timeline
    return Analytics(
      isOptedIn: { await settings.analyticsOptedIn(accountID: $0) }, accountID: { await session.state.user?.accountID },
      sink: { event in
        timeline.record(event)
        Self.analyticsLogger.debug("\(event.name)")
      })
  }

  /// Logs the names of analytics events, without their values.
  private static let analyticsLogger = Logger(label: "analytics")

  /// The account as `GET /api/account` returns it; throws as `loadAccount()`.
  func accountBody() async throws(AccountError) -> AccountBody {
    let dashboard = try await loadAccount()
    return AccountBody(dashboard, settings: await .init(dashboard, self))
  }

  /// The fault rules in their order, as exports contain them.
  package var faultRules: [FaultBody] { faults.bodies }

  /// Notes that a deletion was requested whose outcome is unknown, and notifies the pages.
  func noteUnknownDeletion() async {
    let now = time.wall()
    unknownDeletion.withLock { $0 = now }
    await publishState()
  }

  /// The masked identifier of the signed-in user; nil if no user is known to be signed in.
  func maskedUser() async -> String? {
    let user = await client.session.state.user
    return [user?.email, user?.phone].lazy.compactMap { $0 }.compactMap { try? Identifier(normalizing: $0) }.first?.masked
  }

  /// Throws `signed_out` unless a user is signed in.
  func requireSession() async throws {
    guard await client.session.state.isSignedIn else { throw Problem.signedOut }
  }
}
