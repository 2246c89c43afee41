import Redaction

/// A request as Swift code that sends it with `URLSession`; secrets are read from the environment.
package enum SwiftSnippet {
  /// The code for a recorded request.
  package static func text(_ detail: NetworkRowDetail) -> String {
    var placeholders = Placeholders()
    let url = literal(PlaceholderText(parts: placeholders.replace(detail.url).parts.map(escapedURL)))
    var lines: [String] = []
    for line in detail.request.headers where !["host", "content-length", "connection"].contains(line.name.lowercased()) {
      let value = placeholders.replace(line.value, preferred: Placeholders.name(ofHeader: line.name))
      lines.append("request.addValue(\(literal(value)), forHTTPHeaderField: \(literal(line.name)))")
    }
    if let body = detail.request.body {
      lines.append("request.httpBody = Data(\(literal(placeholders.replace(body))).utf8)")
    } else if let note = detail.request.bodyNote {
      lines.append("// The body was \(note.rawValue).")
    }
    let variables = placeholders.names.map { name in
      "let \(camelCased(name)) = ProcessInfo.processInfo.environment[\"\(name)\"] ?? \"\""
    }
    // The module that the snippet needs on Linux; Understudy itself must not import it.
    let networking = "FoundationNetworking"
    return """
      import Foundation
      #if canImport(\(networking))
        import \(networking)
      #endif

      \((variables + [""]).joined(separator: "\n"))
      guard let url = URL(string: \(url)) else { throw URLError(.badURL) }
      var request = URLRequest(url: url)
      request.httpMethod = \(literal(detail.row.method))
      \(lines.joined(separator: "\n"))

      let (data, response) = try await URLSession.shared.data(for: request)
      print((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))

      """
  }

  private static func escapedURL(_ part: PlaceholderText.Part) -> PlaceholderText.Part {
    if case .text(let text) = part { .text(URLText.escaped(text)) } else { part }
  }

  private static func literal(_ text: String) -> String { literal(PlaceholderText(parts: [.text(text)])) }

  /// A string literal on one line; escapes characters that end it or begin an interpolation.
  private static func literal(_ text: PlaceholderText) -> String {
    let parts = text.parts.map { part in
      switch part {
      case .variable(let name): "\\(\(camelCased(name)))"
      case .text(let text):
        text.unicodeScalars.map { scalar in
          switch scalar {
          case "\"": "\\\""
          case "\\": "\\\\"
          case "\n": "\\n"
          case "\r": "\\r"
          case "\t": "\\t"
          case _
          where scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
            || scalar.properties.generalCategory == .lineSeparator || scalar.properties.generalCategory == .paragraphSeparator:
            "\\u{\(String(scalar.value, radix: 16))}"
          default: String(scalar)
          }
        }.joined()
      }
    }
    return "\"\(parts.joined())\""
  }

  /// Converts `ACCESS_TOKEN` to `accessToken`.
  private static func camelCased(_ name: String) -> String {
    let words = name.lowercased().split(separator: "_")
    return (words.prefix(1).map(String.init) + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }).joined()
  }
}
