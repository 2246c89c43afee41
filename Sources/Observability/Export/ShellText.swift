/// Text quoted for a POSIX shell.
enum ShellText {
  /// One word: text in single quotes, a single quote as `'\''`, variables in double quotes.
  static func word(_ text: PlaceholderText) -> String {
    guard !text.parts.isEmpty else { return "''" }
    return text.parts.map { part in
      switch part {
      case .text(let text): quoted(text)
      case .variable(let name): "\"$\(name)\""
      }
    }.joined()
  }

  /// One word without variables.
  static func quoted(_ text: String) -> String {
    // By bytes: a quote followed by a combining mark is a single `Character`, but still ends the shell's quotes.
    var bytes: [UInt8] = [UInt8(ascii: "'")]
    for byte in text.utf8 {
      if byte == UInt8(ascii: "'") { bytes.append(contentsOf: #"'\''"#.utf8) } else { bytes.append(byte) }
    }
    bytes.append(UInt8(ascii: "'"))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A `printf` command that writes the bytes, in printable ASCII; the format contains no variable and no directive.
  static func printf(_ bytes: [UInt8]) -> String {
    var format: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      switch byte {
      // A leading dash would begin an option.
      case UInt8(ascii: "-") where index == 0: format.append(contentsOf: #"\055"#.utf8)
      case UInt8(ascii: "%"): format.append(contentsOf: "%%".utf8)
      case UInt8(ascii: "\\"): format.append(contentsOf: #"\\"#.utf8)
      case UInt8(ascii: "'"): format.append(contentsOf: #"'\''"#.utf8)
      case 0x20...0x7e: format.append(byte)
      default:
        format.append(UInt8(ascii: "\\"))
        for shift in [UInt8(6), 3, 0] { format.append(UInt8(ascii: "0") + (byte >> shift & 7)) }
      }
    }
    return "printf '\(String(decoding: format, as: UTF8.self))'"
  }

  /// Whether the text is safe to paste: it contains no NUL and no control character that a terminal would act on.
  static func isPlain(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || !($0.value < 0x20 || (0x7f...0x9f).contains($0.value)) }
  }
}
