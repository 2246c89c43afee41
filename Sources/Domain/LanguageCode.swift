import Text

/// A language code with the form of a short BCP 47 tag, so that it cannot contain personal data (seed-rules A-59 "anonymous ids
/// only").
package struct LanguageCode: Hashable, Sendable {
  /// Two or three lower-case letters and an optional subtag of two to four letters, such as `de` or `pt-BR`.
  package let text: String

  /// Creates a code; nil if the text does not have that form.
  package init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard let language = parts.first, (2...3).contains(language.count), language.allSatisfy(ASCII.isLowercase), parts.count <= 2
    else { return nil }
    if parts.count == 2 {
      guard (2...4).contains(parts[1].count), parts[1].allSatisfy(ASCII.isLetter) else { return nil }
    }
    self.text = text
  }

  /// Creates a code that the configuration supports; throws `AccountError.unsupportedLanguage` for any other.
  ///
  /// A configuration without languages supports every code: the backend decides.
  init(_ text: String, in config: AppConfig) throws(AccountError) {
    guard let code = LanguageCode(text) else { throw .unsupportedLanguage }
    guard config.supportedLanguages.isEmpty || config.supportedLanguages.contains(where: { $0.code == text }) else {
      throw .unsupportedLanguage
    }
    self = code
  }
}
