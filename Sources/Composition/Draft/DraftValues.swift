import BackendFile
import JSON
import Text

/// Writes the values of a session as references, so that the file contains none of them.
struct DraftValues {
  /// A value that every request of the app seems to send unchanged, which the user has to supply.
  struct Secret {
    let name: String
    /// The field that has it, and its row.
    let field: String
    let row: Int
  }

  /// Values that earlier requests of a sign-in return and later requests send: the names of the captures, by value.
  var captured: [String: String] = [:]
  var access: Set<String> = []
  var refresh: Set<String> = []
  /// The user's typed identifiers.
  var identifiers: Set<String> = []
  /// Passwords and codes, which the file never contains.
  var typed: Set<String> = []
  /// The user's id at the backend.
  var users: Set<String> = []
  /// In the order of their use.
  private(set) var secrets: [Secret] = []
  private var names: [String: String] = [:]

  /// The value, or the distinctive part of a value's mask: the kind in a mask depends on its place.
  static func key(_ value: String) -> String {
    guard value.hasPrefix("‹"), value.hasSuffix("›"), let colon = value.lastIndex(of: ":") else { return value }
    return String(value[colon...])
  }

  /// Whether a value distinguishes exchanges: it is neither short nor a text that replaces all values.
  static func isDistinct(_ value: String) -> Bool {
    let lower = value.prefix(40).lowercased()
    return value.utf8.count >= 8 && Set(value.utf8).count > 3
      && !["redact", "removed", "masked", "xxxx", "***", "placeholder"].contains { lower.contains($0) }
  }

  /// The text of a template for a value that a call sends.
  mutating func template(_ field: DraftField, in call: CallName, row: Int) -> String {
    let key = Self.key(field.value)
    let word = field.word
    if !call.isSignIn, let token = token(field) { return token }
    if let name = captured[key] { return "{\(name)}" }
    if call.isSignIn, let typed = typed(field, in: call) { return typed }
    if identifiers.contains(key), call.isSignIn || field.value.utf8.count >= 3 { return "{identifier}" }
    if !call.isSignIn, users.contains(key) { return "{user_id}" }
    if let name = DraftNames.ofClient(word) { return "{\(name)}" }
    if DraftNames.isConstant(word), isPlain(field.value) { return field.value }
    return "${\(secret(field, row: row))}"
  }

  /// Whether a text can be in the file unchanged.
  func isPlain(_ text: String) -> Bool { DraftNames.isPlain(text) && !typed.contains(Self.key(text)) }

  /// The token of the session that a field has; nil for another value.
  func token(_ field: DraftField) -> String? {
    let key = Self.key(field.value)
    switch (refresh.contains(key), access.contains(key)) {
    case (true, true):
      // Cleaned files have one text for all tokens.
      let isRefresh = DraftNames.isRefresh(field.word) || field.place == .json && !DraftNames.isAccess(field.word)
      return isRefresh ? "{refresh_token}" : "{access_token}"
    case (true, false): return "{refresh_token}"
    case (false, true): return "{access_token}"
    case (false, false): return nil
    }
  }

  /// The reference for a value that the user types at a sign-in or gets by email.
  private func typed(_ field: DraftField, in call: CallName) -> String? {
    let word = field.word
    if DraftNames.isPassword(word) { return "{password}" }
    if word == "state" { return "{state}" }
    if call == .loginWithMagicToken {
      if word == "code" { return "{link.code}" }
      if DraftNames.isLink(word), field.place != .header { return "{token}" }
    }
    if DraftNames.isCode(word) { return "{code}" }
    if call == .loginWithCode, DraftNames.isLink(word), field.place != .header { return "{code}" }
    return DraftNames.isIdentifier(word) ? "{identifier}" : nil
  }

  /// The name of a secret of the user: one for each value.
  mutating func secret(_ field: DraftField, row: Int) -> String {
    let key = Self.key(field.value)
    if let known = names[key] { return known }
    let plain = DraftNames.isPlainName(field.name) ? field.name : "value"
    let base = DraftNames.capitals(plain)
    var name = base
    for number in 2..<1000 where secrets.contains(where: { $0.name == name }) { name = "\(base)_\(number)" }
    names[key] = name
    secrets.append(Secret(name: name, field: plain, row: row))
    return name
  }
}

/// Texts of a file: scalars and maps in YAML's flow style.
enum DraftYAML {
  /// A text, in quotes unless it is one word.
  static func text(_ text: String) -> String { isWord(text) ? text : quoted(text) }

  static func quoted(_ text: String) -> String { String(decoding: JSONStringText.quoted(text), as: UTF8.self) }

  /// A map whose values are written already.
  static func map(_ members: [(key: String, value: String)]) -> String {
    "{\(members.map { "\(text($0.key)): \($0.value)" }.joined(separator: ", "))}"
  }

  private static func isWord(_ text: String) -> Bool {
    guard let first = text.utf8.first, ASCII.isLetter(first) || first == UInt8(ascii: "_"),
      !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
    else { return false }
    return text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "_.-/".utf8.contains($0) }
  }
}
