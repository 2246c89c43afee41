/// Splits a JSON document that arrives in pieces into the elements of one array: the document itself, or `log.entries` of a HAR.
///
/// Only one element is in memory at a time. What stands outside the array is skipped, except the object `log.creator`.
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
  /// The key of the member that is read, in each open object.
  private var keys: [String] = []
  private var isText = false
  private var isEscaped = false
  /// The string that is read, or was read last, outside of elements; cut after 64 bytes.
  private var text: [UInt8] = []
  /// What is read as a whole, and how many containers are open around it.
  private var part: [UInt8]?
  private var partDepth = 0
  private var partLine = 0
  private var isCreator = false
  /// How many containers are open within the array; 0 until it begins.
  private var arrayDepth = 0
  private var hasArray = false
  private var hasRoot = false
  private var line = 1
  private var position = 0

  init() {}

  /// The name of the form that a file with this first byte, or a byte outside of texts, is in; nil if it may be UTF-8.
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
    for byte in bytes {
      defer { position += 1 }
      if position < 3, byte == Self.byteOrderMark[position] { continue }
      if byte == UInt8(ascii: "\n") { line += 1 }
      if part != nil {
        part?.append(byte)
        guard part?.count ?? 0 <= Self.elementLimit else { throw ImportError(.elementTooLarge, line: partLine) }
      }
      if isText {
        readText(byte)
      } else {
        try read(byte, take)
      }
    }
  }

  /// Notes the end of the document; throws if it ends early, or has no such array.
  func finish() throws(ImportError) {
    guard hasRoot, open.isEmpty, !isText else { throw ImportError(.endsEarly, line: line) }
    guard hasArray else { throw ImportError(.notHAR, line: 1) }
  }

  private mutating func readText(_ byte: UInt8) {
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isText = false
      return
    }
    if part == nil, text.count < 64 { text.append(byte) }
  }

  private mutating func read(_ byte: UInt8, _ take: (Part) throws -> Void) throws {
    if let name = Self.otherEncoding(byte) { throw ImportError(.encoding(name)) }
    switch byte {
    case UInt8(ascii: "\""):
      guard !open.isEmpty, arrayDepth == 0 || open.count != arrayDepth else { throw ImportError(.notJSON, line: line) }
      isText = true
      text.removeAll(keepingCapacity: true)
    case UInt8(ascii: ":"):
      guard open.last == UInt8(ascii: "{") else { throw ImportError(.notJSON, line: line) }
      if part == nil { keys[keys.count - 1] = String(decoding: text, as: UTF8.self) }
    case UInt8(ascii: "{"), UInt8(ascii: "["): try begin(byte)
    case UInt8(ascii: "}"), UInt8(ascii: "]"): try end(byte, take)
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: ","): break
    default:
      // A number, true, false or null; the elements of the array are objects.
      guard !open.isEmpty, arrayDepth == 0 || open.count != arrayDepth else { throw ImportError(.notJSON, line: line) }
    }
  }

  private mutating func begin(_ bracket: UInt8) throws(ImportError) {
    guard !hasRoot || !open.isEmpty, open.count < 512 else { throw ImportError(.notJSON, line: line) }
    hasRoot = true
    let isObject = bracket == UInt8(ascii: "{")
    if part == nil, arrayDepth > 0, open.count == arrayDepth {
      guard isObject else { throw ImportError(.notHAR, line: line) }
      beginPart(isCreator: false)
    } else if part == nil, isObject, isLogMember("creator") {
      beginPart(isCreator: true)
    }
    open.append(bracket)
    if isObject { keys.append("") }
    guard part == nil, !isObject, open.count == 1 || open.count == 3 && isLogMember("entries") else { return }
    guard !hasArray else { throw ImportError(.notHAR, line: line) }
    hasArray = true
    arrayDepth = open.count
  }

  /// Whether the value that begins is this member of the root's member `log`.
  private func isLogMember(_ name: String) -> Bool {
    open.count >= 2 && keys.count == 2 && keys == ["log", name] && arrayDepth == 0
  }

  private mutating func beginPart(isCreator: Bool) {
    part = [UInt8(ascii: "{")]
    (partDepth, partLine, self.isCreator) = (open.count, line, isCreator)
  }

  private mutating func end(_ bracket: UInt8, _ take: (Part) throws -> Void) throws {
    let expected = bracket == UInt8(ascii: "}") ? UInt8(ascii: "{") : UInt8(ascii: "[")
    guard open.popLast() == expected else { throw ImportError(.notJSON, line: line) }
    if expected == UInt8(ascii: "{") { keys.removeLast() }
    if let whole = part, open.count == partDepth {
      part = nil
      try take(isCreator ? .creator(whole) : .element(whole, line: partLine))
    } else if part == nil, arrayDepth > 0, open.count < arrayDepth {
      arrayDepth = 0
    }
  }
}
