import Text

/// Values that markup within a text names: `<input name="token" value="…">`, `<Password>…</Password>`.
///
/// No reader of HTML or XML, which would refuse half of what errors quote: it only follows attributes, and texts between tags.
enum SecretMarkup {
  /// Attributes whose value names what another attribute or the element has.
  private static let naming = Set(["field", "id", "itemprop", "key", "name", "property"].map { Array($0.utf8) })
  private static let valued = Set(["content", "data-value", "value"].map { Array($0.utf8) })
  /// The longest value or text that is looked at, in bytes.
  private static let limit = 4096

  /// The ranges and kinds of the values.
  static func spans(
    in bytes: [UInt8], keys: SecretKeyRules, context: MaskContext
  ) -> [(range: Range<Int>, kind: SecretKind)] {
    guard bytes.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "=") }) else { return [] }
    var scan = Scan(bytes: bytes, keys: keys, context: context)
    scan.run()
    return scan.found
  }

  private struct Scan {
    let bytes: [UInt8]
    let keys: SecretKeyRules
    let context: MaskContext
    var found: [(range: Range<Int>, kind: SecretKind)] = []
    private var index = 0
    /// The values of the current attributes that can be masked.
    private var values: [Range<Int>] = []
    /// What the current attributes, or the element before, say of the value.
    private var named: SecretKeyRules.Verdict?
    private var namedBefore: SecretKeyRules.Verdict?

    init(bytes: [UInt8], keys: SecretKeyRules, context: MaskContext) {
      (self.bytes, self.keys, self.context) = (bytes, keys, context)
    }

    mutating func run() {
      while index < bytes.count {
        let byte = bytes[index]
        if byte == UInt8(ascii: "<") {
          endAttributes()
          index += 1
          if index < bytes.count, ASCII.isLetter(bytes[index]) { element() }
        } else if ASCII.isLetter(byte) {
          attribute(isInTag: false)
        } else {
          if !isBlank(byte) { endAttributes() }
          index += 1
        }
      }
      endAttributes()
    }

    /// Reads the tag whose name begins here, and the text behind it.
    private mutating func element() {
      let start = index
      index = SecretShapes.end(of: index, in: bytes, while: isName)
      let name = start..<index
      let limit = min(bytes.count, index + SecretMarkup.limit)
      while index < limit, bytes[index] != UInt8(ascii: ">"), bytes[index] != UInt8(ascii: "<") {
        if ASCII.isLetter(bytes[index]) { attribute(isInTag: true) } else { index += 1 }
      }
      let isOpen = index < bytes.count && bytes[index] == UInt8(ascii: ">") && bytes[index - 1] != UInt8(ascii: "/")
      let attributes = named
      endAttributes()
      guard isOpen else { return }
      text(of: name, attributes)
    }

    /// Reads the text up to the closing tag of the element with this name.
    private mutating func text(of name: Range<Int>, _ attributes: SecretKeyRules.Verdict?) {
      var start = index + 1
      while start < bytes.count, isBlank(bytes[start]) { start += 1 }
      var closing = Array("</".utf8) + bytes[name]
      if bytes[start...].starts(with: "<![CDATA[".utf8) {
        start += 9
        closing = Array("]]>".utf8)
      }
      var end = start
      while end < bytes.count, end - start < SecretMarkup.limit, bytes[end] != closing[0] { end += 1 }
      guard end > start, bytes[end...].starts(with: closing) else { return }
      let value = start..<end
      let local = bytes[name].split(separator: UInt8(ascii: ":")).last ?? []
      let before = namedBefore
      namedBefore = nil
      let verdict = [keys.verdict(ofName: local, context: context), attributes, before].lazy.compactMap { $0 }.first {
        $0.kind != nil
      }
      if let verdict, let kind = verdict.kind {
        if verdict.masks(bytes[value]) { found.append((value, kind)) }
      } else if SecretMarkup.naming.contains(local.map(ASCII.lowercased)), value.count <= 60 {
        // `<key>password</key><string>…</string>`
        namedBefore = keys.verdict(ofCaption: Array(bytes[value]), context: context)
      }
      index = end
    }

    /// Reads an attribute that begins here, or skips a word.
    private mutating func attribute(isInTag: Bool) {
      let start = index
      index = SecretShapes.end(of: index, in: bytes, while: isName)
      let name = bytes[start..<index].map(ASCII.lowercased)
      guard index + 1 < bytes.count, bytes[index] == UInt8(ascii: "=") else {
        if !isInTag { endAttributes() }
        return
      }
      index += 1
      let mark = bytes[index]
      let isQuoted = mark == UInt8(ascii: "\"") || mark == UInt8(ascii: "'")
      guard isQuoted || isInTag else { return endAttributes() }
      let first = isQuoted ? index + 1 : index
      var end = first
      while end < bytes.count, end - first < SecretMarkup.limit,
        isQuoted ? bytes[end] != mark : bytes[end] > 0x20 && bytes[end] != UInt8(ascii: ">")
      {
        end += 1
      }
      guard !isQuoted || end < bytes.count && bytes[end] == mark else { return endAttributes() }
      index = isQuoted ? end + 1 : end
      guard first < end else { return }
      if SecretMarkup.naming.contains(name), end - first <= 60 {
        let verdict = keys.verdict(ofCaption: Array(bytes[first..<end]), context: context)
        if verdict.kind != nil { named = named ?? verdict }
      } else if SecretMarkup.valued.contains(name), values.count < 8 {
        values.append(first..<end)
      }
    }

    private mutating func endAttributes() {
      if let named, let kind = named.kind {
        for value in values where named.masks(bytes[value]) { found.append((value, kind)) }
      }
      named = nil
      values.removeAll(keepingCapacity: true)
    }

    private func isName(_ byte: UInt8) -> Bool { ASCII.isAlphanumeric(byte) || "_-:.".utf8.contains(byte) }
    private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
  }
}
