import Glibc
import Text

/// A secret made for one run, its encodings, and a search for it that shares no code with the product.
struct CanaryText: Sendable {
  /// The kind of secret.
  let name: String
  let value: String
  /// What `leaks` searches for, by the name of the encoding; written once, because it searches thousands of texts.
  private let forms: [(encoding: String, text: String)]

  init(name: String, value: String) {
    self.name = name
    self.value = value
    forms = Self.encodings.compactMap { encoding in
      var wanted = encoding.write(value)
      if encoding.name == "in a sentence" { return nil }
      // What stands beside the secret in its group of base 64 is not the secret.
      if encoding.name.contains("64") { wanted = String(wanted.dropFirst(4).dropLast(8)) }
      return wanted.utf8.count >= 6 ? (encoding.name, wanted) : nil
    }
  }

  /// The encodings of a text.
  static let encodings: [(name: String, write: @Sendable (String) -> String)] = [
    ("raw", { $0 }), ("percent", { percent($0, all: false) }), ("every byte percent", { percent($0, all: true).lowercased() }),
    ("double percent", { percent(percent($0, all: false), all: false) }),
    ("JSON units", { $0.utf16.map { "\\u" + Hex.encode([UInt8($0 >> 8), UInt8($0 & 255)]) }.joined() }),
    ("references", { $0.utf8.map { "&#\($0);" }.joined() }),
    ("named references", { $0.replacing("@", with: "&commat;").replacing("+", with: "&plus;").replacing(".", with: "&period;") }),
    ("base 64", { Base64.encode(Array($0.utf8)) }), ("base 64 after one", { Base64.encode(Array("u\($0):rest".utf8)) }),
    ("base 64 after two", { Base64.encode(Array("u:\($0):rest".utf8)) }),
    ("base64url", { Base64URL.encode(Array($0.utf8)) }), ("base64url after two", { Base64URL.encode(Array("u:\($0)!".utf8)) }),
    ("percent of base 64", { percent(Base64.encode(Array($0.utf8)), all: false) }),
    ("base 64 of percent", { Base64.encode(Array(percent($0, all: false).utf8)) }),
    ("hexadecimal", { Hex.encode(Array($0.utf8)) }), ("upper case hexadecimal", { Hex.encode(Array($0.utf8)).uppercased() }),
    ("upper case base 64", { Base64.encode(Array(otherCase($0).utf8)) }),
    ("mixed case base64url after one", { Base64URL.encode(Array("u\(otherCase($0)):rest".utf8)) }),
    ("upper case hexadecimal of another case", { Hex.encode(Array(otherCase($0).utf8)).uppercased() }),
    ("broken by a line", { broken($0, by: "\n") }), ("broken by an escaped line", { broken($0, by: "\\r\\n") }),
    ("wrapped base 64", { broken(Base64.encode(Array($0.utf8)), by: "\r\n") }),
    ("in a sentence", { "it is '\($0)', they say" }),
  ]

  /// An address as somebody may type it; any other text unchanged.
  private static func otherCase(_ text: String) -> String {
    guard text.contains("@") else { return text }
    return String(text.enumerated().map { $0.offset.isMultiple(of: 3) ? Character($0.element.uppercased()) : $0.element })
  }

  /// A text in two halves.
  private static func broken(_ text: String, by lineBreak: String) -> String {
    let half = text.index(text.startIndex, offsetBy: text.count / 2)
    return text[..<half] + lineBreak + text[half...]
  }

  /// The text with `%XX`.
  static func percent(_ text: String, all: Bool) -> String {
    text.utf8.map { byte in
      let isPlain = !all && (byte.isLetterOrDigit || "-_.~".utf8.contains(byte))
      return isPlain ? String(Unicode.Scalar(byte)) : "%" + Hex.encode([byte]).uppercased()
    }.joined()
  }

  /// Bytes as `leaks` searches them.
  static func searchable(_ bytes: [UInt8]) -> [CChar] { bytes.map { CChar(bitPattern: $0 == 0 ? 1 : $0) } + [0] }

  /// The encodings in which the secret stands in a searchable text.
  func leaks(in text: [CChar]) -> [String] {
    forms.filter { Self.find($0.text, in: text) }.map(\.encoding)
  }

  /// Digits count only as a whole word: many longer numbers contain the same six.
  private static func find(_ wanted: String, in text: [CChar]) -> Bool {
    text.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return false }
      var place = UnsafePointer(start)
      while let found = strstr(place, wanted) {
        let before = found == start ? 0 : UInt8(bitPattern: found[-1])
        let after = UInt8(bitPattern: found[wanted.utf8.count])
        if !wanted.utf8.allSatisfy(\.isLetterOrDigit) || wanted.utf8.contains(where: { $0 > UInt8(ascii: "9") }) { return true }
        if !before.isLetterOrDigit, !after.isLetterOrDigit { return true }
        place = UnsafePointer(found + 1)
      }
      return false
    }
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    ASCII.isLowercase(self) || ASCII.isUppercase(self)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
  }
}
