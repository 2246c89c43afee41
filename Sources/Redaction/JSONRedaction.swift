import JSON
import Text

/// Redacts a JSON document by replacing spans of its text, so that numbers, order and whitespace are preserved.
///
/// A precheck of the bytes lets nearly every value pass, and each name is examined once for a document.
struct JSONRedaction {
  /// The maximum nesting of documents in strings that are redacted as JSON.
  private static let maximumNesting = 3

  /// The cached result for a name.
  private struct Name {
    var range = 0..<0
    var verdict = SecretKeyRules.Verdict()
    /// Whether the name itself contains no secret.
    var isPlain = true
    /// Whether its value may be read even if values are hidden.
    var isReadable = false
    /// Whether the name may be read; if values are hidden, only one that a programmer chose.
    var isShown = true
  }

  /// The kind that a value is masked as.
  private struct Indication: Equatable {
    let kind: SecretKind
    /// The form of values that are masked, outside of objects; nil if all values are.
    var values: SecretNameWords.Values?

    var isUsedForOtherValues: Bool { values != nil }
  }

  private let document: JSONDocument
  private let bytes: [UInt8]
  private let tokens: [JSONToken]
  private let scan: SecretScan
  private let precheck: SecretPrecheck
  private let context: MaskContext
  /// Whether values are masked unless their names are known to be harmless.
  private let hidesValues: Bool
  private let nesting: Int
  /// Names by hash; a name replaces an earlier one with the same hash.
  private var names: [Name]
  private var output: [UInt8] = []
  private var cursor = 0
  private var counts: [SecretKind: Int] = [:]
  /// The names of the arguments that get the variables of the GraphQL documents so far, by the index of the object with the variables.
  private var variables: [Int: [String: [String]]] = [:]

  /// The redacted document; nil if it is not strict JSON. `nesting` counts documents within strings.
  static func redact(
    _ bytes: [UInt8], scan: SecretScan, context: MaskContext, hidesValues: Bool = false, nesting: Int = 0
  ) -> MaskedText? {
    guard let document = try? JSONDocument(parsing: bytes) else { return nil }
    return redact(document, scan: scan, context: context, hidesValues: hidesValues, nesting: nesting)
  }

  /// The redacted document.
  static func redact(
    _ document: JSONDocument, scan: SecretScan, context: MaskContext, hidesValues: Bool = false, nesting: Int = 0
  ) -> MaskedText {
    let bytes = document.bytes
    var redaction = JSONRedaction(document, scan: scan, context: context, hidesValues: hidesValues, nesting: nesting)
    redaction.visit(0, as: hidesValues ? Indication(kind: .value) : nil)
    if redaction.counts.isEmpty { return MaskedText(text: String(decoding: bytes, as: UTF8.self)) }
    redaction.output += bytes[redaction.cursor...]
    return MaskedText(text: String(decoding: redaction.output, as: UTF8.self), counts: redaction.counts)
  }

  private init(_ document: JSONDocument, scan: SecretScan, context: MaskContext, hidesValues: Bool, nesting: Int) {
    self.document = document
    bytes = document.bytes
    tokens = document.tokens
    self.scan = scan
    precheck = scan.precheck
    self.context = context
    self.hidesValues = hidesValues
    self.nesting = nesting
    names = [Name](repeating: Name(), count: document.bytes.count > 4096 ? 256 : 32)
  }

  /// Redacts a value; `outer` is the indication of an outer member's name. The scanner limits the depth.
  private mutating func visit(_ index: Int, as outer: Indication?) {
    let token = tokens[index]
    switch token.kind {
    case .object:
      let outer = outer?.isUsedForOtherValues == true ? nil : outer
      let paired = pairedKind(in: token, at: index)
      let isKey = isJSONWebKey(token, at: index)
      readVariables(of: token, at: index)
      let arguments = variables.removeValue(forKey: index)
      var holdsSecret: Bool?
      var member = index + 1
      for _ in 0..<token.count {
        let name = name(of: tokens[member])
        if !name.isShown {
          replace(tokens[member], as: .value)
        } else if outer?.kind == .token, isOpaque(tokens[member]) {
          // The keys of an object named `tokens`.
          replace(tokens[member], as: .token)
        } else if !name.isPlain {
          replace(tokens[member], by: scan.mask(document.text(of: tokens[member]), context: context, shapes: .all))
        }
        // A name that describes its own value needs no other member for it.
        let isValue =
          paired != nil && (name.verdict.kind == nil || name.verdict.isUsedForOtherValues)
          && Self.valueNames.contains(document.text(of: tokens[member]).lowercased())
        let value = tokens[member + 1]
        if isKey, Self.privateMembers.contains(document.text(of: tokens[member])) {
          visit(member + 1, as: Indication(kind: .key))
          member = value.next
          continue
        }
        // The variable's own name and what is around it come first: `login(pass: $password)` is a password.
        if let uses = arguments?[document.text(of: tokens[member])], value.kind == .string,
          !isMasked(value, as: indication(of: value, named: name, within: outer)),
          let argument = uses.compactMap({ use -> Indication? in
            let verdict = scan.rules.keys.verdict(ofName: use.utf8, context: context)
            return verdict.kind.map { Indication(kind: $0, values: verdict.values) }
          }).first(where: { isMasked(value, as: $0) })
        {
          visit(member + 1, as: argument)
          member = value.next
          continue
        }
        if name.verdict.isCode, isSixDigits(value) {
          // An error has no secret other than its code.
          holdsSecret = holdsSecret ?? self.holdsSecret(token, at: index)
          if holdsSecret == true {
            visit(member + 1, as: Indication(kind: .code))
            member = value.next
            continue
          }
        }
        let paired = isValue ? paired.map { strengthened($0, within: outer, for: value) } : nil
        visit(member + 1, as: paired ?? indication(of: value, named: name, within: outer))
        member = value.next
      }
    case .array:
      let second = outer == nil && token.count == 2 ? indication(ofPair: index) : nil
      var element = index + 1
      for place in 0..<token.count {
        visit(element, as: place == 1 ? second ?? outer : outer)
        element = tokens[element].next
      }
    case .string: visitString(token, as: isMasked(token, as: outer) ? outer?.kind : nil)
    case .number:
      if let outer, isMasked(token, as: outer) {
        replace(token, as: outer.kind)
      } else if let known = scan.numbers.known(as: bytes.span.extracting(token.start..<token.end)) {
        replace(token, by: known)
      } else if !precheck.isPlain(number: bytes.span.extracting(token.start..<token.end), context: context) {
        replace(token, by: scan.thoroughlyMasked(document.text(of: token), context: context, shapes: []))
      }
    case .bool, .null: break
    }
  }

  /// Finds the variables of a GraphQL request: those of `mutation ($t: String!) { renew(refreshToken: $t) }` are named by the argument.
  private mutating func readVariables(of token: JSONToken, at index: Int) {
    guard (2...8).contains(token.count) else { return }
    var (query, place): (JSONToken?, Int?)
    var member = index + 1
    for _ in 0..<token.count {
      let name = tokens[member]
      let value = tokens[member + 1]
      switch (name.end - name.start, value.kind) {
      case (7, .string) where bytes[name.start + 1] == UInt8(ascii: "q") && document.text(of: name) == "query": query = value
      case (11, .object) where document.text(of: name) == "variables": place = member + 1
      default: break
      }
      member = value.next
    }
    guard let query, let place, tokens[place].count > 0 else { return }
    var arguments: [String: [String]] = [:]
    let parts = document.text(of: query).split(separator: "$", omittingEmptySubsequences: false)
    for (before, after) in zip(parts, parts.dropFirst()) {
      let variable = after.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      let head = before.reversed().drop(while: \.isWhitespace)
      guard head.first == ":", !variable.isEmpty else { continue }
      let name = head.dropFirst().drop(while: \.isWhitespace).prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      // A variable may be used several times.
      if arguments[String(variable), default: []].count < 8 {
        arguments[String(variable), default: []].append(String(name.reversed()))
      }
    }
    variables[place] = arguments
  }

  /// The private members of a JSON Web Key: RFC 7518 §6.2.2, §6.3.2 and §6.4.1, RFC 8037 §2, and of ML-DSA keys.
  private static let privateMembers: Set<String> = ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"]

  /// Whether an object is a JSON Web Key, which has a type (RFC 7517 §4.1).
  private func isJSONWebKey(_ token: JSONToken, at index: Int) -> Bool {
    var member = index + 1
    for _ in 0..<token.count {
      let (name, value) = (tokens[member], tokens[member + 1])
      if name.end - name.start == 5, value.kind == .string, bytes[name.start + 1] == UInt8(ascii: "k"),
        bytes[name.start + 2] == UInt8(ascii: "t"), bytes[name.start + 3] == UInt8(ascii: "y")
      {
        return true
      }
      member = value.next
    }
    return false
  }

  /// In lower case, like the names of values.
  private static let pairNames: Set<String> = [
    "attribute", "field", "header", "k", "key", "label", "name", "param", "parameter", "property", "variable",
  ]
  private static let valueNames: Set<String> = ["content", "data", "text", "v", "val", "value"]
  /// Members besides `field` and `label` that describe the value to people.
  private static let messageNames: Set<String> = ["content", "text"]

  /// The kind of the member `value` of `{"name": "password", "value": …}`; nil if the object is not such a pair.
  private func pairedKind(in token: JSONToken, at index: Int) -> Indication? {
    guard (2...8).contains(token.count) else { return nil }
    // The members that name the value to programs, and those that name it to people.
    var (named, captioned): (Indication?, Indication?)
    var hasValue = false
    var hasMessage = false
    var member = index + 1
    for _ in 0..<token.count {
      let name = tokens[member]
      let value = tokens[member + 1]
      // Two quotes and one to nine bytes, the first of them one that these names begin with.
      if (3...11).contains(name.end - name.start), "nkfhplvdcta".utf8.contains(bytes[name.start + 1] | 0x20) {
        let text = document.text(of: name).lowercased()
        if Self.valueNames.contains(text) {
          if Self.messageNames.contains(text) { hasMessage = true } else { hasValue = true }
        }
        if value.kind == .string, Self.pairNames.contains(text) {
          let indicated = indication(ofName: value)
          if text == "field" || text == "label" { captioned = captioned ?? indicated } else { named = named ?? indicated }
        }
      }
      member = value.next
    }
    if hasValue { return named ?? captioned }
    // A description for people is a sentence.
    return hasMessage ? named ?? captioned.map { Indication(kind: $0.kind, values: .messages) } : nil
  }

  private func isSixDigits(_ value: JSONToken) -> Bool {
    value.kind == .string && value.end - value.start == 8
      && bytes[(value.start + 1)..<(value.end - 1)].allSatisfy(ASCII.isDigit)
  }

  /// Whether the name of a member indicates a secret.
  private mutating func holdsSecret(_ object: JSONToken, at index: Int) -> Bool {
    var member = index + 1
    for _ in 0..<object.count {
      if name(of: tokens[member]).verdict.kind != nil { return true }
      member = tokens[member + 1].next
    }
    return false
  }

  /// The kind of the second element of `["password", …]`, if it is a text that is more than words.
  private func indication(ofPair index: Int) -> Indication? {
    let first = tokens[index + 1]
    let second = tokens[tokens[index + 1].next]
    guard first.kind == .string, second.kind == .string, var found = indication(ofName: first) else { return nil }
    found.values = found.values ?? .pairs
    return found
  }

  /// The indication of a value's text, taken as a name.
  private func indication(ofName token: JSONToken) -> Indication? {
    guard token.end - token.start <= 60 else { return nil }
    let verdict = scan.rules.keys.verdict(ofCaption: Array(document.text(of: token).utf8), context: context)
    return verdict.kind.map { Indication(kind: $0, values: verdict.values) }
  }

  /// Whether the name of a member is a token itself.
  private func isOpaque(_ token: JSONToken) -> Bool {
    token.end - token.start > 18 && RandomText.matches(Array(document.text(of: token).utf8))
  }

  /// Whether a text or number is masked as a name indicates.
  private func isMasked(_ token: JSONToken, as indication: Indication?) -> Bool {
    guard let indication else { return false }
    let quote = token.kind == .string ? 1 : 0
    guard let values = indication.values else { return true }
    return SecretNameWords.isSecret(
      bytes[(token.start + quote)..<(token.end - quote)], among: values, isNumber: token.kind == .number)
  }

  private mutating func name(of token: JSONToken) -> Name {
    let range = (token.start + 1)..<(token.end - 1)
    var hash = range.count
    for place in range { hash = (hash &* 31) ^ Int(bytes[place]) }
    let slot = hash & (names.count - 1)
    let held = names[slot].range
    if !held.isEmpty, held.count == range.count, areEqual(held, range) { return names[slot] }
    // Names rarely contain escapes; without one, read the name in place.
    let text = token.isEscaped ? Array(document.text(of: token).utf8)[...] : bytes[range]
    let verdict = scan.rules.keys.verdict(ofName: text, context: context)
    let name = Name(
      range: range, verdict: verdict, isPlain: precheck.isPlain(text.span, context: context),
      isReadable: hidesValues && verdict.kind != .value && SecretKeyRules.isReadable(name: text),
      isShown: !hidesValues || PlainName.shown(String(decoding: text, as: UTF8.self)) != "*")
    names[slot] = name
    return name
  }

  private func areEqual(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    for offset in 0..<left.count where bytes[left.lowerBound + offset] != bytes[right.lowerBound + offset] { return false }
    return true
  }

  /// The kind to mask a member as. If values are hidden, a harmless name shows its own value, but no inner value.
  private func indication(of value: JSONToken, named name: Name, within outer: Indication?) -> Indication? {
    let named = namedIndication(of: value, named: name, within: outer)
    guard hidesValues, named == nil || named?.kind == .value else { return named }
    return name.isReadable && value.kind != .object && value.kind != .array ? nil : Indication(kind: .value)
  }

  /// The indication of the member's own name, or of the enclosing object's unless its own name is harmless.
  private func namedIndication(of value: JSONToken, named name: Name, within outer: Indication?) -> Indication? {
    // `code` also names error codes; only digits are a login code.
    if name.verdict.kind == .code, name.verdict.isCode {
      let quote = value.kind == .string ? 1 : 0
      if !SecretKeyRules.isCode(bytes[(value.start + quote)..<(value.end - quote)]) { return outer }
    }
    if let kind = name.verdict.kind {
      let own = Indication(kind: kind, values: name.verdict.values)
      return strengthened(own, within: outer, for: value)
    }
    return name.verdict.isHarmless ? nil : outer
  }

  /// Combines an indication with an outer one: under a telling outer name, harmless values of a name are masked too.
  private func strengthened(_ own: Indication, within outer: Indication?, for value: JSONToken) -> Indication {
    guard own.isUsedForOtherValues, let outer, !outer.isUsedForOtherValues else { return own }
    let isText = value.kind == .string || value.kind == .number
    return outer.kind == .value && !(isText && isMasked(value, as: own)) ? outer : Indication(kind: own.kind)
  }

  private mutating func visitString(_ token: JSONToken, as kind: SecretKind?) {
    guard token.end - token.start > 2 else { return }
    if let kind = kind ?? scan.kind(ofWhole: document.text(of: token)) {
      replace(token, as: kind)
      return
    }
    if !token.isEscaped,
      let known = scan.numbers.known(asText: bytes.span.extracting((token.start + 1)..<(token.end - 1)))
    {
      replace(token, by: known)
      return
    }
    let first = bytes[token.start + 1]
    let mayBeDocument = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    if !token.isEscaped, !mayBeDocument,
      precheck.isPlain(bytes.span.extracting((token.start + 1)..<(token.end - 1)), context: context)
    {
      return
    }
    let text = document.text(of: token)
    if mayBeDocument, nesting < Self.maximumNesting,
      let inner = Self.redact(
        Array(text.utf8), scan: scan, context: context, hidesValues: hidesValues, nesting: nesting + 1)
    {
      replace(token, by: inner)
    } else {
      replace(token, by: scan.mask(text, context: context, shapes: .all))
    }
  }

  /// Replaces a whole value with a tag.
  private mutating func replace(_ token: JSONToken, as kind: SecretKind) {
    let replacement = scan.replacement(for: document.text(of: token), kind: kind)
    replace(token, by: MaskedText(text: replacement.tag, counts: [replacement.kind: 1]))
  }

  /// Replaces a whole value with the tag of a registered one.
  private mutating func replace(_ token: JSONToken, by known: SecretNumbers.Known) {
    let replacement = scan.replacement(for: known.value, kind: known.kind)
    replace(token, by: MaskedText(text: replacement.tag, counts: [replacement.kind: 1]))
  }

  /// Replaces a value with a masked text if it contains a mask.
  private mutating func replace(_ token: JSONToken, by masked: MaskedText) {
    guard !masked.counts.isEmpty else { return }
    output += bytes[cursor..<token.start]
    output += JSONStringText.quoted(masked.text)
    cursor = token.end
    counts.merge(masked.counts, uniquingKeysWith: +)
  }
}
