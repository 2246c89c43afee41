package import Domain
package import HTTPTypes
import Server
import Text
import Vault
import Wire

/// Reads a request's sender from the proxy that has authenticated the person.
///
/// The name counts only together with a secret that only the proxy has: a client that bypasses the proxy could send the header
/// too.
package struct PersonProxy: Sendable {
  /// The header with the secret.
  package static let secretField = HTTPField.Name.constant("X-Understudy-Proxy-Secret")
  /// The longest name, in Unicode scalars.
  private static let nameLimit = 254

  private let header: HTTPField.Name
  private let secret: [UInt8]
  /// The names that are always owners, as bytes: names that only look alike are different.
  private let owners: Set<[UInt8]>
  /// The role of a new person.
  let firstRole: Person.Role

  package init(
    header: HTTPField.Name, secret: String, owners: some Sequence<String> = [], firstRole: Person.Role = .tester
  ) {
    self.header = header
    self.owners = Set(owners.map { Array($0.utf8) })
    self.firstRole = firstRole
    self.secret = SHA256Digest.hash(secret)
  }

  /// Whether the name is always an owner's.
  func isOwner(_ name: String) -> Bool { owners.contains(Array(name.utf8)) }

  /// The sender's name; nil if the request did not come through the proxy, or has no name or several.
  func name(of request: Request) -> String? {
    let secrets = request.headers[values: Self.secretField]
    guard secrets.count == 1, let shown = secrets.first, constantTimeEquals(SHA256Digest.hash(shown), secret) else {
      return nil
    }
    let names = request.headers[fields: header]
    guard names.count == 1, let field = names.first, let name = Self.text(of: field), Self.isName(name) else { return nil }
    return name
  }

  /// The value of a field; nil if it is not UTF-8, where `value` would give different names the same text.
  private static func text(of field: HTTPField) -> String? {
    field.withUnsafeBytesOfValue { String(validating: $0, as: UTF8.self) }
  }

  /// Whether a text can be a person's name: 1 to 254 visible characters, without white space at its ends.
  ///
  /// It has no U+FFFD, by which a proxy may have replaced unreadable characters.
  package static func isName(_ text: String) -> Bool {
    (1...nameLimit).contains(text.unicodeScalars.count) && text.unicodeScalars.allSatisfy(DisplayName.isVisible)
      && !text.unicodeScalars.contains("\u{FFFD}") && text.trimmingWhitespace == text
  }
}

extension Person {
  /// The stored browser that stands for all of the person's browsers.
  var browser: BrowserStore.Browser { BrowserStore.Browser(id: id) }
}
