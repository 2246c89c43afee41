import Text

/// A text of a backend file with references to values: `Bearer {access_token}`, `phone:${CLIENT_SECRET}`.
package struct Template: Hashable, Sendable {
  package enum Part: Hashable, Sendable {
    case text(String)
    /// `{name}`: a value of the flow.
    case value(String)
    /// `${NAME}`: a secret of the user.
    case secret(String)
  }

  package let parts: [Part]
  package let place: FilePlace

  package init(parts: [Part], place: FilePlace) {
    self.parts = parts
    self.place = place
  }

  /// Splits a text into its parts. A brace that begins no name is text.
  package init(_ text: String, at place: FilePlace) {
    var parts: [Part] = []
    var literal = ""
    var rest = text[...]
    func end() { if !literal.isEmpty { parts.append(.text(literal)) } }
    while let first = rest.first {
      let isSecret = rest.hasPrefix("${")
      // A name has at most 100 characters: without an end to the search, braces alone would take forever.
      if isSecret || first == "{", let close = rest.utf8.prefix(110).firstIndex(of: UInt8(ascii: "}")) {
        // The brace and the `$` before it are one byte each, so the name begins at or before `close`.
        let name = rest[rest.index(rest.startIndex, offsetBy: isSecret ? 2 : 1)..<close]
        if Self.isName(name, isSecret: isSecret) {
          end()
          literal = ""
          parts.append(isSecret ? .secret(String(name)) : .value(String(name)))
          rest = rest[rest.utf8.index(after: close)...]
          continue
        }
      }
      literal.append(first)
      rest = rest.dropFirst()
    }
    end()
    self.init(parts: parts, place: place)
  }

  /// Whether it has no references.
  package var isLiteral: Bool { values.isEmpty && secrets.isEmpty }

  /// The names of the values of the flow, in order.
  package var values: [String] {
    parts.compactMap { if case .value(let name) = $0 { name } else { nil } }
  }

  /// The names of the secrets, in order.
  package var secrets: [String] {
    parts.compactMap { if case .secret(let name) = $0 { name } else { nil } }
  }

  /// The text with the references as they are written.
  package var source: String {
    parts.reduce(into: "") { text, part in
      switch part {
      case .text(let literal): text += literal
      case .value(let name): text += "{\(name)}"
      case .secret(let name): text += "${\(name)}"
      }
    }
  }

  /// The text without the references, which a check of its characters reads.
  package var literalText: String {
    parts.reduce(into: "") { if case .text(let text) = $1 { $0 += text } }
  }

  /// The template split at the first `separator` outside references; nil if there is none.
  package func split(at separator: Unicode.Scalar) -> (Template, Template)? {
    for (index, part) in parts.enumerated() {
      guard case .text(let text) = part, let position = text.utf8.firstIndex(of: UInt8(ascii: separator)) else { continue }
      let before = text[..<position]
      let after = text[text.utf8.index(after: position)...]
      return (
        Template(parts: parts[..<index] + (before.isEmpty ? [] : [.text(String(before))]), place: place),
        Template(parts: (after.isEmpty ? [] : [.text(String(after))]) + parts[(index + 1)...], place: place)
      )
    }
    return nil
  }

  /// The template split at every `separator` outside references.
  package func components(separatedBy separator: Unicode.Scalar) -> [Template] {
    var components: [Template] = []
    var rest = self
    while let (first, others) = rest.split(at: separator) {
      components.append(first)
      rest = others
    }
    return components + [rest]
  }

  private init(parts: some Sequence<Part>, place: FilePlace) { self.init(parts: Array(parts), place: place) }

  /// Whether a text between braces is a name: letters, digits and underscores, and for values also dots and hyphens.
  private static func isName(_ name: Substring, isSecret: Bool) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= 100, ASCII.isLetter(first) || first == UInt8(ascii: "_") else {
      return false
    }
    return name.utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "_") || !isSecret && "-.".utf8.contains($0) }
  }
}
