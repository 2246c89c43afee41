package import JSON
import Text

/// The places of the code, the text and the wait in the body of an error (contract 5.2, point 10).
package struct ErrorPlaces: Hashable, Sendable {
  /// The file's own pointers, which are tried first.
  package let code: ValuePointer?
  package let message: ValuePointer?

  package init(code: ValuePointer? = nil, message: ValuePointer? = nil) {
    self.code = code
    self.message = message
  }

  /// The error's code: the first text at the file's place or a usual one.
  package func code(in root: JSONNode) -> String? {
    if let code = code?.value(in: root)?.scalarText, !code.isEmpty { return code }
    return Self.usualCodes(in: root).first
  }

  /// The texts at the usual places of a code, the most specific first.
  package static func usualCodes(in root: JSONNode) -> [String] {
    let error = root["error"]
    return [
      error?["code"]?.string, error?["id"]?.string, root["error_code"]?.string, root["code"]?.string, root["errcode"]?.string,
      root["errorCode"]?.string, root["__type"]?.string.flatMap(Self.typeName), root["errors"]?.elements.first?["code"]?.string,
      error?["message"]?.string.flatMap(Self.constant), error?.string,
    ].compactMap { $0 }.filter { !$0.isEmpty }
  }

  /// The error's text: the first at the file's place or a usual one, else the first of the document.
  package func message(in root: JSONNode) -> String? {
    if let message = message?.value(in: root)?.scalarText, !message.isEmpty { return message }
    let error = root["error"]
    let first = root["errors"]?.elements.first
    return [
      error?["message"]?.string, error?["reason"]?.string, first?["message"]?.string, root["message"]?.string,
      root["detail"]?.string, root["error_description"]?.string, root["msg"]?.string,
    ].lazy.compactMap { $0 }.first { !$0.isEmpty } ?? Self.firstText(root)
  }

  /// The wait in seconds that the body asks for; a `Retry-After` of the header wins over it.
  package func wait(in root: JSONNode) -> Double? {
    [("retry_after_ms", 1000.0), ("retry_after", 1)].lazy.compactMap { name, second in
      root[name]?.scalarText.flatMap(Double.init).map { $0 / second }
    }.first { $0.isFinite && $0 > 0 }
  }

  /// The name after the namespace of an AWS error: `com.amazon#NotAuthorizedException`.
  private static func typeName(_ type: String) -> String? { type.split(separator: "#").last.map(String.init) }

  /// The constant that a text begins with, such as `TOKEN_EXPIRED` or `TOO_MANY_ATTEMPTS_TRY_LATER : Try again later.`
  private static func constant(_ text: String) -> String? {
    let word = text.prefix { $0 != ":" && $0 != " " }
    let rest = text.dropFirst(word.count).first { $0 != " " }
    let isConstant = word.utf8.allSatisfy { ASCII.isUppercase($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "_") }
    return isConstant && word.utf8.contains(where: ASCII.isUppercase) && (rest == nil || rest == ":") ? String(word) : nil
  }

  private static func firstText(_ node: JSONNode) -> String? {
    if let text = node.string { return text.isEmpty ? nil : text }
    // `lazy.compactMap` and `first` would search their results twice, at each level.
    for child in node.kind == .object ? node.members.map(\.value) : node.elements {
      if let text = firstText(child) { return text }
    }
    return nil
  }
}
