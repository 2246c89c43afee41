import Redaction
import Text

/// A request as a `curl` command for a POSIX shell that sends the same bytes, with variables in place of secrets.
package struct CurlCommand: Sendable {
  /// The command, without a line break at the end.
  package let text: String
  /// The variables to set, in the order of use.
  package let variables: [String]

  /// The longest body, in bytes, to pass as an argument; the kernel limits arguments to 128 KiB.
  private static let longestArgument = 64 * 1024
  /// Fields that curl adds itself.
  private static let owned: Set<String> = [
    "host", "content-length", "connection", "transfer-encoding", "expect", "accept-encoding",
  ]

  /// Creates the command for a recorded request, with comments about a body that was not stored and the variables to set.
  package init(_ detail: NetworkRowDetail) {
    let command = CurlCommand(
      method: detail.row.method, url: detail.url, headers: detail.request.headers,
      body: detail.request.body.map { Array($0.utf8) })
    let isBodyMissing = detail.request.body == nil && (detail.request.bodyNote != nil || detail.row.requestBytes > 0)
    let comments = [
      isBodyMissing ? "# The body of this request was not stored. Add it with --data-raw." : nil,
      command.variables.isEmpty
        ? nil : "# Placeholders for masked values: \(command.variables.joined(separator: ", ")). Set them first.",
    ]
    text = comments.compactMap { $0.map { $0 + "\n" } }.joined() + command.text
    variables = command.variables
  }

  /// Creates the command for a request; skips lines that are not valid header fields.
  package init(method: String, url: String, headers: [(name: String, value: String)], body: [UInt8]?) {
    var placeholders = Placeholders()
    var words: [String] = []
    // Variables in the URL are inserted as they are, so their values must be percent-encoded.
    words.append("--url " + ShellText.word(Self.url(placeholders.replace(url))))
    words.append(method == "HEAD" ? "--head" : "--request " + ShellText.quoted(Self.isToken(method) ? method : "GET"))
    var given: Set<String> = []
    for line in headers where Self.isToken(line.name) && ShellText.isPlain(line.value) && !line.value.utf8.contains(0x0a) {
      let name = line.name.lowercased()
      if name == "accept-encoding", line.value.lowercased().contains("gzip") { given.insert("compressed") }
      guard !Self.owned.contains(name) else { continue }
      given.insert(name)
      let value = placeholders.replace(line.value, preferred: Placeholders.name(ofHeader: line.name))
      // For curl, `Name;` is a field without a value, and `Name:` removes a field.
      let text = value.parts.isEmpty ? [.text("\(line.name);")] : [.text("\(line.name): ")] + value.parts
      words.append("--header " + ShellText.word(PlaceholderText(parts: Self.joined(text))))
    }
    let announcesBody = ["POST", "PUT", "PATCH"].contains(method)
    let body = body ?? (announcesBody ? [] : nil)
    for name in ["User-Agent", "Accept"] + (body == nil ? [] : ["Content-Type", "Expect"])
    where !given.contains(name.lowercased()) {
      words.append("--header " + ShellText.quoted("\(name):"))
    }
    if given.contains("compressed") { words.append("--compressed") }
    words.append("--globoff --path-as-is")
    var feed = ""
    if let body {
      let data = Self.data(body, &placeholders)
      words.append(data.argument)
      feed = data.feed
    }
    text = feed + "curl " + words.joined(separator: " \\\n  ")
    variables = placeholders.names
  }

  /// The body as an argument, or piped in if it is too long or contains bytes that an argument cannot.
  private static func data(_ body: [UInt8], _ placeholders: inout Placeholders) -> (argument: String, feed: String) {
    let text = String(decoding: body, as: UTF8.self)
    guard text.utf8.elementsEqual(body), ShellText.isPlain(text) else {
      return ("--data-binary @-", ShellText.printf(body) + " | ")
    }
    let word = ShellText.word(placeholders.replace(text))
    guard body.count > longestArgument else { return ("--data-raw " + word, "") }
    return ("--data-binary @-", "printf '%s' " + word + " | ")
  }

  private static func url(_ text: PlaceholderText) -> PlaceholderText {
    PlaceholderText(
      parts: text.parts.map { part in
        if case .text(let text) = part { .text(URLText.escaped(text)) } else { part }
      })
  }

  /// Merges adjacent texts.
  private static func joined(_ parts: [PlaceholderText.Part]) -> [PlaceholderText.Part] {
    parts.reduce(into: []) { joined, part in
      if case .text(let text) = part, case .text(let before)? = joined.last {
        joined[joined.count - 1] = .text(before + text)
      } else {
        joined.append(part)
      }
    }
  }

  /// Whether the text is a token (RFC 9110 §5.6.2), as methods and field names are; curl would read a file for `@name`.
  private static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(ASCII.isToken)
  }
}

extension CurlCommand {
  /// The command as a standalone script, which fails with a message if a variable is not set; ends with a line break.
  package var script: String {
    let checks = variables.map { ": \"${\($0):?is not set}\"\n" }.joined()
    return "#!/bin/sh\n\(checks)\(text)\n"
  }
}

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
