import Text

/// Reads `errors` and `error`.
enum ErrorRuleReader {
  private enum Place: String, CaseIterable { case code, message }

  static func rules(_ node: FileNode) throws(ReadingError) -> [ErrorRule] {
    var rules: [ErrorRule] = []
    for member in try node.members() {
      let match = try match(member)
      let text = try member.value.text()
      guard let word = ErrorWord(text) else {
        throw member.value.error(
          "\(text): write one of \(ErrorWord.words.joined(separator: ", "))" + NearestWord.hint(text, among: ErrorWord.words))
      }
      rules.append(ErrorRule(match: match, word: word, place: member.keyPlace))
    }
    return rules
  }

  static func places(_ node: FileNode) throws(ReadingError) -> ErrorPlaces {
    let members = try node.members(Place.self)
    return ErrorPlaces(
      code: try members[.code].map(pointer), message: try members[.message].map(pointer))
  }

  private static func pointer(_ node: FileNode) throws(ReadingError) -> ValuePointer {
    let text = try node.text()
    guard text.hasPrefix("/"), let pointer = ValuePointer(text) else {
      throw node.error("write a JSON pointer, such as /error/code")
    }
    return pointer
  }

  /// Reads STATUS, CODE, `STATUS CODE` or `STATUS /pointer=value`.
  private static func match(_ member: FileNode.Member) throws(ReadingError) -> ErrorRule.Match {
    let usage = "write STATUS, CODE, STATUS CODE or STATUS /pointer=value"
    guard member.key.utf8.count <= 1000 else { throw ReadingError(member.keyPlace, "longer than 1,000 bytes") }
    let parts = member.key.split(separator: " ", maxSplits: 1).map(String.init)
    guard let first = parts.first else { throw ReadingError(member.keyPlace, usage) }
    if first.hasPrefix("/") { throw ReadingError(member.keyPlace, "write the status before the pointer: STATUS /pointer=value") }
    if first.utf8.count == 3, first.lowercased().hasSuffix("xx") {
      throw ReadingError(member.keyPlace, "write each status by itself")
    }
    guard first.utf8.count == 3, first.utf8.allSatisfy(ASCII.isDigit), let status = Int(first) else {
      return .code(member.key)
    }
    guard (200...599).contains(status) else { throw ReadingError(member.keyPlace, "no response has this status") }
    guard parts.count == 2 else { return .status(status) }
    let rest = parts[1].trimmingBlanks
    guard rest.hasPrefix("/") else { return .statusAndCode(status, String(rest)) }
    guard let value = ValueMatch(String(rest)) else { throw ReadingError(member.keyPlace, usage) }
    return .statusAndValue(status, value)
  }
}
