/// Text escaped for Markdown, so that it cannot end a table cell, a code span or a code block.
enum MarkdownText {
  /// A code span.
  static func code(_ text: String) -> String {
    let text = text.replacingLineBreaks()
    let fence = String(repeating: "`", count: longestRun(in: text) + 1)
    let pad = text.hasPrefix("`") || text.hasSuffix("`") || text.isEmpty ? " " : ""
    return fence + pad + text + pad + fence
  }

  /// A code span within a table, where `|` must be escaped.
  static func cell(_ text: String) -> String { code(text.replacing("|", with: "\\|")) }

  /// Words on one line, without markup of their own.
  static func plain(_ text: String) -> String {
    text.replacingLineBreaks().reduce(into: "") { escaped, character in
      if #"\`*_[]<>|&~#!"#.contains(character) { escaped.append("\\") }
      escaped.append(character)
    }
  }

  /// A code block in the given language.
  static func block(_ text: String, language: String) -> String {
    let fence = String(repeating: "`", count: max(3, longestRun(in: text) + 1))
    return "\(fence)\(language)\n\(text)\(text.hasSuffix("\n") ? "" : "\n")\(fence)\n"
  }

  private static func longestRun(in text: String) -> Int {
    var longest = 0
    var run = 0
    for byte in text.utf8 {
      run = byte == UInt8(ascii: "`") ? run + 1 : 0
      longest = max(longest, run)
    }
    return longest
  }
}

extension String {
  /// The text on a single line.
  fileprivate func replacingLineBreaks() -> String {
    String(decoding: utf8.map { $0 == 0x0a || $0 == 0x0d ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
  }
}
