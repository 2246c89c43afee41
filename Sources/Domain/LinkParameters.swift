import FoundationEssentials
import Text

/// The parameters of a link that a user pasted, of its query and its fragment.
package struct LinkParameters: Hashable, Sendable {
  /// Decoded values by name.
  package let values: [String: String]

  /// Reads the first link with parameters in a text. Throws `AuthError.loginLinkInvalid` if it has none.
  package init(in text: String) throws(AuthError) {
    guard text.utf8.count <= LinkText.maximumBytes else { throw .loginLinkInvalid }
    for candidate in LinkText.candidates(in: text) {
      let values = Self.values(of: candidate)
      if !values.isEmpty {
        self.values = values
        return
      }
    }
    throw .loginLinkInvalid
  }

  /// The values by their names in a backend file: `link.PARAM`.
  package var templateValues: [String: String] {
    Dictionary(uniqueKeysWithValues: values.map { ("link.\($0)", $1) })
  }

  private static func values(of link: String) -> [String: String] {
    guard link.utf8.count <= 8192, link.lowercased().hasPrefix("https://") || link.lowercased().hasPrefix("http://") else {
      return [:]
    }
    let halves = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let query = halves[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first
    var values: [String: String] = [:]
    for text in [halves.count == 2 ? halves[1] : nil, query].compactMap(\.self) {
      for (name, value) in QueryPairs.parse(String(text)) ?? [] where !name.isEmpty && !value.isEmpty { values[name] = value }
    }
    return values
  }
}
