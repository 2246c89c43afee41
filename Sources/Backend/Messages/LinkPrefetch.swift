import FoundationEssentials
import Storage

/// The result of opening a sign-in link as a mail scanner does: the requests, and whether the link is still valid.
package struct LinkPrefetch: Encodable, Sendable, Equatable {
  /// A request and its status.
  package struct Step: Encodable, Sendable, Equatable {
    /// `HEAD` or `GET`.
    package let method: String
    /// The status of the response; nil if there was none.
    package let status: Int?
  }

  /// The requested page: the link without the fragment, which is not sent.
  package let url: String
  package let steps: [Step]
  /// Whether link, code and counted attempts are the same as before.
  package let isUnchanged: Bool

  enum CodingKeys: String, CodingKey {
    case url, steps
    case isUnchanged = "unchanged"
  }
}

extension ReferenceBackend {
  /// Sends a request without cookies and returns the status, nil if no response came.
  package typealias PageFetch = @Sendable (_ method: String, _ url: String) async -> Int?

  /// Requests the link of a message with HEAD, GET and GET, as mail scanners do, and compares the challenge before and after.
  ///
  /// Returns nil if the message is unknown or has no link; throws `database`.
  package func prefetchLink(messageID: String, fetch: PageFetch) async throws(BackendStartError) -> LinkPrefetch? {
    let all = await inbox.messages(to: nil)
    guard let message = all.first(where: { $0.id == messageID }), let link = message.link,
      let url = link.split(separator: "#", maxSplits: 1).first.map(String.init)
    else { return nil }
    let before = try await challenge(of: message.to)
    var steps: [LinkPrefetch.Step] = []
    for method in ["HEAD", "GET", "GET"] { steps.append(LinkPrefetch.Step(method: method, status: await fetch(method, url))) }
    return LinkPrefetch(url: url, steps: steps, isUnchanged: try await challenge(of: message.to) == before)
  }

  /// Returns everything that decides whether link and code can be redeemed.
  private func challenge(of identifier: String) async throws(BackendStartError) -> [StorageValue] {
    do {
      return try await services.storage.read { transaction in
        let columns = ["challenge_id", "attempts", "expires_at", "link_hash", "code_hash"]
        return try transaction.rows(
          "SELECT \(columns.joined(separator: ", ")) FROM login_challenge WHERE identifier = ?", identifier
        ).flatMap { row in try columns.map(row.value) }
      }
    } catch {
      throw .database(DatabaseFault.description(of: error))
    }
  }
}
