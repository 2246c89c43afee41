import Text

/// Scans a document strictly (RFC 8259) into tokens; uses an explicit stack instead of recursion.
struct JSONScanner {
  /// An open object or array.
  private struct Container {
    /// The index of its token.
    let index: Int
    let isObject: Bool
    var count = 0
    /// The index of its first key in `openKeys`.
    let firstKey: Int
    /// The keys so far; compared as `String`, that is, under canonical equivalence, like the keys of a dictionary.
    /// nil while there are few keys and all are ASCII, so that bytes can be compared.
    var keys: Set<String>?
  }

  /// A key of an open object.
  private struct OpenKey {
    let range: Range<Int>
    let hash: UInt32
  }

  /// Up to how many keys of an object are compared one by one.
  private static let comparedKeys = 24

  /// The tokens that the grammar allows next.
  private enum Expectation {
    case value, firstElementOrEnd, firstKeyOrEnd, key, separatorOrEnd, end
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private let maximumDepth: Int
  /// The next byte to read.
  private var position = 0
  /// The tokens so far.
  private(set) var entries: [JSONToken] = []
  private var containers: [Container] = []
  private var openKeys: [OpenKey] = []
  private var expectation = Expectation.value

  /// The bytes outlive the scanner. A buffer is read without the costs of an array, which are a third of a scan.
  init(bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
    entries.reserveCapacity(bytes.count / 12 + 1)
  }

  /// Scans the whole document.
  mutating func scanDocument() throws(JSONError) {
    while true {
      skipWhiteSpace()
      guard let byte = current else {
        if expectation == .end { return }
        throw JSONError(.unexpectedEnd, at: position)
      }
      try scan(byte)
    }
  }

  /// The next byte; nil at the end.
  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipWhiteSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0a, 0x0d: position += 1
      default: return
      }
    }
  }

  /// Scans one token.
  private mutating func scan(_ byte: UInt8) throws(JSONError) {
    switch (expectation, byte) {
    case (.end, _): throw JSONError(.trailingBytes, at: position)
    case (.firstElementOrEnd, UInt8(ascii: "]")), (.firstKeyOrEnd, UInt8(ascii: "}")): closeContainer()
    case (.firstKeyOrEnd, UInt8(ascii: "\"")), (.key, UInt8(ascii: "\"")): try scanKey()
    case (.separatorOrEnd, _): try scanSeparator(byte)
    case (.value, _), (.firstElementOrEnd, _): try scanValue(byte)
    case (.firstKeyOrEnd, _), (.key, _): throw JSONError(.unexpectedByte, at: position)
    }
  }

  /// Scans a comma or the end of the innermost container.
  private mutating func scanSeparator(_ byte: UInt8) throws(JSONError) {
    let isObject = containers.last?.isObject ?? false
    switch byte {
    case UInt8(ascii: ","):
      position += 1
      expectation = isObject ? .key : .value
    case isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"): closeContainer()
    default: throw JSONError(.unexpectedByte, at: position)
    }
  }

  /// Scans a scalar or the start of an object or array.
  private mutating func scanValue(_ byte: UInt8) throws(JSONError) {
    let start = position
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      try openContainer(isObject: byte == UInt8(ascii: "{"))
      return
    case UInt8(ascii: "\""):
      let isEscaped = try scanString()
      append(.string, from: start, isEscaped: isEscaped)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      try scanNumber()
      append(.number, from: start)
    case UInt8(ascii: "t"):
      try scanLiteral("true")
      append(.bool, from: start)
    case UInt8(ascii: "f"):
      try scanLiteral("false")
      append(.bool, from: start)
    case UInt8(ascii: "n"):
      try scanLiteral("null")
      append(.null, from: start)
    default: throw JSONError(.unexpectedByte, at: position)
    }
    endValue()
  }

  private mutating func append(_ kind: JSONNode.Kind, from start: Int, isEscaped: Bool = false) {
    entries.append(.init(kind: kind, start: start, end: position, next: entries.count + 1, isEscaped: isEscaped))
  }

  private mutating func openContainer(isObject: Bool) throws(JSONError) {
    guard containers.count < maximumDepth else { throw JSONError(.tooDeep, at: position) }
    containers.append(Container(index: entries.count, isObject: isObject, firstKey: openKeys.count))
    position += 1
    append(isObject ? .object : .array, from: position - 1)
    expectation = isObject ? .firstKeyOrEnd : .firstElementOrEnd
  }

  private mutating func closeContainer() {
    position += 1
    guard let container = containers.popLast() else { return }
    openKeys.removeLast(openKeys.count - container.firstKey)
    entries[container.index].end = position
    entries[container.index].count = container.count
    entries[container.index].next = entries.count
    endValue()
  }

  /// Counts a complete value in its container.
  private mutating func endValue() {
    guard !containers.isEmpty else {
      expectation = .end
      return
    }
    containers[containers.count - 1].count += 1
    expectation = .separatorOrEnd
  }

  /// Scans a key and its colon.
  private mutating func scanKey() throws(JSONError) {
    let start = position
    let isEscaped = try scanString()
    append(.string, from: start, isEscaped: isEscaped)
    guard insertKey((start + 1)..<(position - 1), isEscaped: isEscaped) else { throw JSONError(.duplicateKey, at: start) }
    skipWhiteSpace()
    guard let byte = current else { throw JSONError(.unexpectedEnd, at: position) }
    guard byte == UInt8(ascii: ":") else { throw JSONError(.unexpectedByte, at: position) }
    position += 1
    expectation = .value
  }

  /// Records a key of the innermost object; returns false if the object has it already.
  private mutating func insertKey(_ range: Range<Int>, isEscaped: Bool) -> Bool {
    let innermost = containers.count - 1
    if containers[innermost].keys == nil {
      var hash: UInt32 = 2_166_136_261
      var all: UInt8 = 0
      for place in range {
        all |= bytes[place]
        hash = (hash ^ UInt32(bytes[place])) &* 16_777_619
      }
      let first = containers[innermost].firstKey
      if !isEscaped, all < 0x80, openKeys.count - first < Self.comparedKeys {
        for place in first..<openKeys.count where openKeys[place].hash == hash && areEqual(openKeys[place].range, range) {
          return false
        }
        openKeys.append(OpenKey(range: range, hash: hash))
        return true
      }
      containers[innermost].keys = Set(openKeys[first...].map { String(decoding: bytes[$0.range], as: UTF8.self) })
    }
    let key = isEscaped ? JSONStringText.unescaped(Array(bytes[range])[...]) : String(decoding: bytes[range], as: UTF8.self)
    return containers[innermost].keys?.insert(key).inserted ?? false
  }

  private func areEqual(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    guard left.count == right.count else { return false }
    for offset in 0..<left.count where bytes[left.lowerBound + offset] != bytes[right.lowerBound + offset] { return false }
    return true
  }

  private mutating func scanLiteral(_ literal: StaticString) throws(JSONError) {
    for offset in 0..<literal.utf8CodeUnitCount {
      guard let byte = current else { throw JSONError(.unexpectedEnd, at: position) }
      guard byte == literal.utf8Start[offset] else { throw JSONError(.unexpectedByte, at: position) }
      position += 1
    }
  }
}

extension JSONScanner {
  /// Scans a number (RFC 8259 §6); whatever follows is scanned as the next token.
  private mutating func scanNumber() throws(JSONError) {
    if current == UInt8(ascii: "-") { position += 1 }
    if current == UInt8(ascii: "0") {
      position += 1
      if let byte = current, ASCII.isDigit(byte) { throw JSONError(.invalidNumber, at: position) }
    } else {
      try scanDigits()
    }
    if current == UInt8(ascii: ".") {
      position += 1
      try scanDigits()
    }
    if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
      position += 1
      if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
      try scanDigits()
    }
  }

  /// Scans one or more digits.
  private mutating func scanDigits() throws(JSONError) {
    guard let byte = current else { throw JSONError(.unexpectedEnd, at: position) }
    guard ASCII.isDigit(byte) else { throw JSONError(.invalidNumber, at: position) }
    while let byte = current, ASCII.isDigit(byte) { position += 1 }
  }

}

extension JSONScanner {
  /// Scans a string with its quotes (RFC 8259 §7); returns whether it contains escapes.
  private mutating func scanString() throws(JSONError) -> Bool {
    position += 1
    var isEscaped = false
    while true {
      skipPlainCharacters()
      guard let byte = current else { throw JSONError(.unexpectedEnd, at: position) }
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return isEscaped
      case UInt8(ascii: "\\"):
        isEscaped = true
        try scanEscape()
      case 0..<0x20: throw JSONError(.controlCharacter, at: position)
      case 0x20..<0x80: position += 1
      default: try scanMultibyteCharacter(byte)
      }
    }
  }

  /// Skips unescaped ASCII characters, the vast majority.
  private mutating func skipPlainCharacters() {
    position = ByteScan.plainEnd(of: bytes, from: position)
  }

  /// Scans an escape, or the two escapes of a surrogate pair.
  private mutating func scanEscape() throws(JSONError) {
    let start = position
    position += 1
    guard let byte = current else { throw JSONError(.unexpectedEnd, at: position) }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "r"), UInt8(ascii: "t"):
      return
    case UInt8(ascii: "u"):
      let unit = try scanFourDigits(escapeAt: start)
      if UTF16.isTrailSurrogate(unit) { throw JSONError(.loneSurrogate, at: start) }
      guard UTF16.isLeadSurrogate(unit) else { return }
      guard current == UInt8(ascii: "\\"), position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "u") else {
        throw JSONError(.loneSurrogate, at: start)
      }
      let second = position
      position += 2
      guard UTF16.isTrailSurrogate(try scanFourDigits(escapeAt: second)) else { throw JSONError(.loneSurrogate, at: start) }
    default: throw JSONError(.invalidEscape, at: start)
    }
  }

  private mutating func scanFourDigits(escapeAt start: Int) throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = current else { throw JSONError(.unexpectedEnd, at: position) }
      guard let digit = Hex.value(of: byte) else { throw JSONError(.invalidEscape, at: start) }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }

  /// Scans a character of two to four bytes (RFC 3629 §4).
  private mutating func scanMultibyteCharacter(_ lead: UInt8) throws(JSONError) {
    let second: ClosedRange<UInt8>
    let count: Int
    switch lead {
    case 0xc2...0xdf: (count, second) = (2, 0x80...0xbf)
    case 0xe0: (count, second) = (3, 0xa0...0xbf)
    case 0xed: (count, second) = (3, 0x80...0x9f)
    case 0xe1...0xef: (count, second) = (3, 0x80...0xbf)
    case 0xf0: (count, second) = (4, 0x90...0xbf)
    case 0xf1...0xf3: (count, second) = (4, 0x80...0xbf)
    case 0xf4: (count, second) = (4, 0x80...0x8f)
    default: throw JSONError(.invalidUTF8, at: position)
    }
    for place in 1..<count {
      guard position + place < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
      let allowed = place == 1 ? second : 0x80...0xbf
      guard allowed.contains(bytes[position + place]) else { throw JSONError(.invalidUTF8, at: position) }
    }
    position += count
  }
}
