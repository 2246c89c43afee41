import Redaction
import Text

/// Finds secrets in the text of a backend file, which belong in a reference.
enum WrittenSecret {
  /// The last words of names whose values are secrets.
  private static let endings: Set<String> = [
    "secret", "password", "passwd", "passphrase", "token", "apikey", "credential", "credentials", "authorization", "jwt",
  ]

  /// The word before `key` in names of keys that are secrets: `api_key`, `X-Access-Key`.
  private static let kindsOfKeys: Set<String> = ["api", "access", "private", "secret", "auth", "encryption", "signing", "master"]

  /// Values of such names that select an option and are not secret.
  private static let choices: Set<String> = ["", "true", "false", "yes", "no", "on", "off", "0", "1", "none", "null"]

  /// Whether a text with this name is a secret.
  static func isSecret(_ template: Template, named name: String) -> Bool {
    let text = template.literalText
    if RedactionRules.hasCredential(text) { return true }
    return template.isLiteral && !choices.contains(text.lowercased()) && isName(name)
  }

  /// Whether a name is one of a secret.
  private static func isName(_ name: String) -> Bool {
    let words = name.wordsOfName
    guard let last = words.last else { return false }
    return endings.contains(last) || last == "key" && words.count > 1 && kindsOfKeys.contains(words[words.count - 2])
  }

  /// The message about a secret in the file.
  static func message(named name: String) -> String {
    let variable = self.variable(name)
    return "a secret does not belong in this file: write ${\(variable)} and set UNDERSTUDY_SECRET_\(variable)"
  }

  /// The name in capitals: `client_secret` and `clientSecret` become `CLIENT_SECRET`.
  private static func variable(_ name: String) -> String {
    let variable = name.wordsOfName.joined(separator: "_").uppercased()
    return variable.first?.isNumber == false ? variable : "SECRET"
  }
}
