package import HTTPTypes
package import JSON
import Text

/// The client's received response to a request.
package struct ReceivedAnswer: Sendable {
  package let status: Int
  package let headers: HTTPFields
  /// The parsed body; nil if it is not JSON.
  package let document: JSONDocument?

  package init(status: Int, headers: HTTPFields, document: JSONDocument?) {
    self.status = status
    self.headers = headers
    self.document = document
  }

  var root: JSONNode? { document?.root }

  /// Whether the body is a page for a browser, such as a proxy's, which does not concern the call.
  var isPage: Bool { headers[.contentType]?.lowercased().hasPrefix("text/html") == true }

  /// The values of all cookies that the answer sets, which must be masked.
  package var cookieValues: [String] { headers[values: .setCookie].compactMap { SetCookie($0)?.value } }
}

/// The name and value of a `Set-Cookie` field (RFC 6265 §5.2).
struct SetCookie: Hashable, Sendable {
  let name: String
  /// Nil if the cookie is deleted.
  let value: String?

  init?(_ field: String) {
    let parts = field.split(separator: ";", omittingEmptySubsequences: false)
    guard let pair = parts.first, let equals = pair.firstIndex(of: "=") else { return nil }
    name = String(pair[..<equals].trimmingBlanks)
    guard !name.isEmpty else { return nil }
    let text = String(pair[pair.index(after: equals)...].trimmingBlanks)
    let isDeleted = parts.dropFirst().contains { part in
      let sides = part.split(separator: "=", maxSplits: 1)
      guard sides.count == 2, sides[0].trimmingBlanks.lowercased() == "max-age" else { return false }
      let age = sides[1].trimmingBlanks
      return age.hasPrefix("-") || age.allSatisfy { $0 == "0" }
    }
    value = text.isEmpty || isDeleted ? nil : text
  }
}
