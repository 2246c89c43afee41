import Text
import Wire

/// Parses everything a server sent on one connection, more strictly than a client has to.
struct ConformanceReader {
  /// One response.
  struct Answer {
    var status = 0
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []

    subscript(name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
  }

  /// A violation of RFC 9112.
  struct Violation: Error, CustomStringConvertible {
    let description: String
  }

  private let bytes: [UInt8]
  private var position = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Splits the bytes into responses; `isHead` tells by number which of them respond to HEAD.
  static func answers(_ bytes: [UInt8], isHead: (Int) -> Bool) throws(Violation) -> [Answer] {
    var reader = ConformanceReader(bytes)
    var answers: [Answer] = []
    while reader.position < bytes.count { answers.append(try reader.answer(isHead: isHead(answers.count))) }
    return answers
  }

  private mutating func answer(isHead: Bool) throws(Violation) -> Answer {
    var answer = Answer()
    let start = try line()
    let parts = start.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "HTTP/1.1", parts[1].utf8.count == 3, let status = Int(parts[1]), status >= 100 else {
      throw Violation(description: "status line '\(start)'")
    }
    answer.status = status
    while true {
      let text = try line()
      if text.isEmpty { break }
      let sides = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, !sides[0].isEmpty, sides[0].utf8.allSatisfy(ASCII.isToken),
        sides[1].utf8.allSatisfy(ByteClass.isFieldValue)
      else { throw Violation(description: "field '\(text)'") }
      answer.fields.append((sides[0].lowercased(), String(sides[1].drop { $0 == " " })))
    }
    try check(answer)
    if !isHead, status >= 200, status != 204, status != 304 { answer.body = try body(answer) }
    return answer
  }

  /// Checks what must hold for every response (RFC 9110 §6.6.1, §8.6; RFC 9112 §6.1, §6.3).
  private func check(_ answer: Answer) throws(Violation) {
    let lengths = answer["content-length"]
    let codings = answer["transfer-encoding"]
    let isBodyless = answer.status < 200 || answer.status == 204
    guard lengths.count + codings.count <= 1, !isBodyless || lengths.count + codings.count == 0 else {
      throw Violation(description: "framing of \(answer.status): \(lengths) \(codings)")
    }
    guard answer.status < 200 || answer["date"].count == 1 && HTTPDate.parse(answer["date"][0]) != nil else {
      throw Violation(description: "date of \(answer.status)")
    }
    guard answer.status != 405 || answer["allow"].count == 1 else { throw Violation(description: "405 without Allow") }
  }

  private mutating func body(_ answer: Answer) throws(Violation) -> [UInt8] {
    if let length = answer["content-length"].first {
      guard let count = Int(length), count >= 0 else { throw Violation(description: "length \(length)") }
      return try take(count)
    }
    guard answer["transfer-encoding"].first == "chunked" else {
      return try take(bytes.count - position)
    }
    var body: [UInt8] = []
    while true {
      let size = try line()
      guard let count = Int(size, radix: 16), count >= 0, !size.hasPrefix("+") else {
        throw Violation(description: "chunk \(size)")
      }
      body += try take(count)
      guard try line().isEmpty else { throw Violation(description: "chunk end") }
      if count == 0 { return body }
    }
  }

  private mutating func line() throws(Violation) -> String {
    guard let end = bytes[position...].firstIndex(of: 0x0A), end > position, bytes[end - 1] == 0x0D else {
      throw Violation(description: "line at \(position) has no end")
    }
    defer { position = end + 1 }
    return String(decoding: bytes[position..<(end - 1)], as: UTF8.self)
  }

  private mutating func take(_ count: Int) throws(Violation) -> [UInt8] {
    guard count <= bytes.count - position else {
      throw Violation(description: "body cut off at \(bytes.count - position) of \(count)")
    }
    defer { position += count }
    return Array(bytes[position..<(position + count)])
  }
}
