import FoundationEssentials
import GRDB
import JSON

/// What a mail scanner's visit did: the requests that were made, and whether link and code are as they were.
package struct LinkPrefetch: Encodable, Sendable, Equatable {
  /// One request of the scanner's.
  package struct Step: Encodable, Sendable, Equatable {
    /// `HEAD` or `GET`.
    package let method: String
    /// The answer's status; nil where there was no answer.
    package let status: Int?
  }

  /// The page that was asked for: the link without its fragment, which no request carries.
  package let url: String
  /// The requests in order.
  package let steps: [Step]
  /// Whether the link, the code and the attempts at it are what they were before.
  package let isUnchanged: Bool

  /// The contract's names.
  enum CodingKeys: String, CodingKey {
    case url, steps
    case isUnchanged = "unchanged"
  }
}

extension ReferenceBackend {
  /// Makes a request as a mail scanner would, without cookies, and gives the status; nil where no answer came.
  package typealias PageFetch = @Sendable (_ method: String, _ url: String) async -> Int?

  /// Visits the link of a message as mail scanners do, by HEAD, GET and GET, and compares what can be redeemed before and after.
  ///
  /// nil for an unknown message or one without a link; throws `database` where the comparison cannot be made.
  package func scan(messageID: String, fetch: PageFetch) async throws(BackendError) -> LinkPrefetch? {
    let all = await inbox.messages(to: nil)
    guard let message = all.first(where: { $0.id == messageID }), let link = message.link,
      let url = link.split(separator: "#", maxSplits: 1).first.map(String.init)
    else { return nil }
    let before = try await challenge(of: message.to)
    var steps: [LinkPrefetch.Step] = []
    for method in ["HEAD", "GET", "GET"] { steps.append(LinkPrefetch.Step(method: method, status: await fetch(method, url))) }
    return LinkPrefetch(url: url, steps: steps, isUnchanged: try await challenge(of: message.to) == before)
  }

  /// Everything that decides whether a link or code can be redeemed.
  private func challenge(of identifier: String) async throws(BackendError) -> [String] {
    do {
      return try await services.database.read { db in
        try String.fetchAll(
          db,
          sql: """
            SELECT challenge_id || ' ' || attempts || ' ' || expires_at || ' ' || hex(link_hash) || ' ' || hex(code_hash)
            FROM login_challenge WHERE identifier = ?
            """, arguments: [identifier])
      }
    } catch {
      throw .database(DatabaseFault.text(error))
    }
  }
}
