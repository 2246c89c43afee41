import Text

/// Splits a JSON document that arrives in pieces into the elements of one array: the document itself, or `log.entries` of a HAR.
///
/// Only one element is in memory at a time. Everything outside the array is skipped, except the object `log.creator`.
struct JSONElements {
  /// A part of the document.
  enum Part: Equatable {
    /// An element of the array, and the line on which it begins, from 1.
    case element([UInt8], line: Int)
    /// The program that wrote the HAR.
    case creator([UInt8])
  }

  /// The largest element in bytes.
  static let elementLimit = 32 << 20
  private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  /// The containers that are open, outermost first.
  private var open: [UInt8] = []
  /// The current key in each object that is open outside of parts.
  private var keys: [String] = []
  private var isText = false
  private var isEscaped = false
  /// The current or last string outside of elements; cut after 64 bytes.
  private var text: [UInt8] = []
  /// The part that is read as a whole, if any.
  private var part: [UInt8]?
  /// The offset of the part's rest in the current piece.
  private var partStart = 0
  private var partDepth = 0
  private var partLine = 0
  private var isCreator = false
  /// How many containers are open within the array; 0 until it begins.
  private var arrayDepth = 0
  private var hasArray = false
  private var hasRoot = false
  private var line = 1
  /// How many bytes preceded the current piece.
  private var position = 0

  init() {}

  /// The name of the encoding of a file with this first byte, or a byte outside of texts; nil if it may be UTF-8.
  static func otherEncoding(_ byte: UInt8?) -> String? {
    switch byte {
    case 0x1F: "gzip"
    case 0x00, 0xFE, 0xFF: "UTF-16"
    default: nil
    }
  }

  /// The bytes behind a byte order mark of UTF-8.
  static func withoutByteOrderMark(_ bytes: [UInt8]) -> [UInt8] {
    bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(byteOrderMark.count)) : bytes
  }

  /// Reads the next piece; throws `ImportError`.
  mutating func add(_ bytes: some Sequence<UInt8>, _ take: (Part) throws -> Void) throws {
    if try bytes.withContiguousStorageIfAvailable({ try add($0, take) }) == nil {
      try Array(bytes).withUnsafeBufferPointer { try add($0, take) }
    }
  }

  private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, _ take: (Part) throws -> Void) throws {
    partStart = 0
    var index = 0
    while index < bytes.count {
      if position + index < 3, bytes[index] == Self.byteOrderMark[position + index] {
        if part != nil { keep(bytes, upTo: index, from: index + 1) }
        index += 1
        continue
      }
      if isText { index = readText(bytes, from: index) }
      if part != nil { index = readPart(bytes, from: index) }
      guard index < bytes.count, !isText else { continue }
      if bytes[index] == UInt8(ascii: "\n") { line += 1 }
      try read(bytes, at: index, take)
      index += 1
    }
    if part != nil { keep(bytes, upTo: bytes.count, from: bytes.count) }
    position += bytes.count
    guard part?.count ?? 0 <= Self.elementLimit else { throw ImportError(.elementTooLarge, line: partLine) }
  }

  /// Reads a part up to its next bracket, or another byte to handle; returns where it stopped.
  private mutating func readPart(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var index = start
    while index < bytes.count, !isText {
      switch bytes[index] {
      // A number, a word, a comma or a blank.
      case 0x20, 0x2B...0x39, 0x61...0x7A: index += 1
      case UInt8(ascii: "\""):
        isText = true
        index = readText(bytes, from: index + 1)
      case UInt8(ascii: ":") where open.last == UInt8(ascii: "{"): index += 1
      default: return index
      }
    }
    return index
  }

  /// Appends the read bytes of the part, whose rest begins at `next`.
  private mutating func keep(_ bytes: UnsafeBufferPointer<UInt8>, upTo end: Int, from next: Int) {
    if partStart < end { part?.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[partStart..<end])) }
    partStart = next
  }

  /// Handles the end of the document; throws if it ends early, or has no such array.
  func finish() throws(ImportError) {
    guard hasRoot, open.isEmpty, !isText else { throw ImportError(.endsEarly, line: line) }
    guard hasArray else { throw ImportError(.notHAR, line: 1) }
  }

  /// Reads a text up to its end, or to that of the piece; returns where it stopped.
  private mutating func readText(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var index = start
    var lines = 0
    while index < bytes.count {
      if !isEscaped { index = ByteScan.textEnd(of: bytes, from: index) }
      guard index < bytes.count else { break }
      let byte = bytes[index]
      if byte == UInt8(ascii: "\n") { lines += 1 }
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isText = false
        break
      }
      index += 1
    }
    line += lines
    if part == nil, text.count < 64 {
      text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<min(index, start + 64 - text.count)]))
    }
    return isText ? index : index + 1
  }

  private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int, _ take: (Part) throws -> Void) throws {
    let byte = bytes[index]
    switch byte {
    case UInt8(ascii: "\""):
      guard !open.isEmpty, arrayDepth == 0 || open.count != arrayDepth else {
        throw ImportError(hasRoot && open.isEmpty ? .notJSON : .notHAR, line: line)
      }
      isText = true
      if part == nil { text.removeAll(keepingCapacity: true) }
    case UInt8(ascii: ":"):
      guard open.last == UInt8(ascii: "{") else { throw ImportError(.notJSON, line: line) }
      if part == nil { keys[keys.count - 1] = String(decoding: text, as: UTF8.self) }
    case UInt8(ascii: "{"), UInt8(ascii: "["): try begin(byte, at: index)
    case UInt8(ascii: "}"), UInt8(ascii: "]"): try end(bytes, at: index, take)
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: ","): break
    default:
      if let name = Self.otherEncoding(byte) { throw ImportError(.encoding(name)) }
      // A number, true, false or null; the elements of the array are objects.
      guard !open.isEmpty, arrayDepth == 0 || open.count != arrayDepth else {
        let isValue = (!hasRoot || !open.isEmpty) && Self.isValue(bytes[index...])
        throw ImportError(isValue ? .notHAR : .notJSON, line: line)
      }
    }
  }

  /// Whether bytes begin with a number, true, false or null, as far as they are at hand.
  private static func isValue(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    let word = bytes.prefix(64).prefix { ASCII.isAlphanumeric($0) || "+-.".utf8.contains($0) }
    if ["true", "false", "null"].contains(where: { word.elementsEqual($0.utf8) }) { return true }
    return word.contains(where: ASCII.isDigit) && Double(String(decoding: word, as: UTF8.self)) != nil
      && word.first.map { ASCII.isDigit($0) || $0 == UInt8(ascii: "-") } ?? false
  }

  private mutating func begin(_ bracket: UInt8, at index: Int) throws(ImportError) {
    guard !hasRoot || !open.isEmpty, open.count < 512 else { throw ImportError(.notJSON, line: line) }
    hasRoot = true
    let isObject = bracket == UInt8(ascii: "{")
    if part == nil, arrayDepth > 0, open.count == arrayDepth {
      guard isObject else { throw ImportError(.notHAR, line: line) }
      beginPart(at: index, isCreator: false)
    } else if part == nil, isObject, isLogMember("creator") {
      beginPart(at: index, isCreator: true)
    }
    open.append(bracket)
    if isObject, part == nil { keys.append("") }
    guard part == nil, !isObject, open.count == 1 || open.count == 3 && isLogMember("entries") else { return }
    guard !hasArray else { throw ImportError(.notHAR, line: line) }
    hasArray = true
    arrayDepth = open.count
  }

  /// Whether the value that begins is this field of the root's field `log`.
  private func isLogMember(_ name: String) -> Bool {
    open.count >= 2 && keys.count == 2 && keys == ["log", name] && arrayDepth == 0
  }

  private mutating func beginPart(at index: Int, isCreator: Bool) {
    part = []
    partStart = index
    (partDepth, partLine, self.isCreator) = (open.count, line, isCreator)
  }

  private mutating func end(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int, _ take: (Part) throws -> Void) throws {
    let expected = bytes[index] == UInt8(ascii: "}") ? UInt8(ascii: "{") : UInt8(ascii: "[")
    guard open.popLast() == expected else { throw ImportError(.notJSON, line: line) }
    if expected == UInt8(ascii: "{"), part == nil { keys.removeLast() }
    if part != nil, open.count == partDepth {
      keep(bytes, upTo: index + 1, from: index + 1)
      guard let whole = part, whole.count <= Self.elementLimit else { throw ImportError(.elementTooLarge, line: partLine) }
      part = nil
      try take(isCreator ? .creator(whole) : .element(whole, line: partLine))
    } else if part == nil, arrayDepth > 0, open.count < arrayDepth {
      arrayDepth = 0
    }
  }
}
