import JSON
import YAML

extension BackendDefinition {
  /// The most bytes of a file.
  package static let maximumBytes = 256 << 10

  /// Reads a backend file; `file` is its name in messages. Throws the first error.
  package init(parsing bytes: [UInt8], file: String) throws(BackendFileError) {
    do throws(ReadingError) {
      self = try BackendFileReader.definition(YAMLText.root(bytes), file: file)
    } catch {
      throw BackendFileError(file: file, place: error.place, message: error.message)
    }
  }
}

/// An error before the file's name is known.
struct ReadingError: Error, Hashable, Sendable {
  let place: FilePlace
  let message: String

  init(_ place: FilePlace, _ message: String) {
    self.place = place
    self.message = message
  }
}

/// The text of a file as a node.
enum YAMLText {
  private static let options = YAMLOptions(
    maximumBytes: BackendDefinition.maximumBytes, maximumNodes: 20_000, maximumDepth: 50, allowsAliases: false)

  static func root(_ bytes: [UInt8]) throws(ReadingError) -> FileNode {
    do throws(YAMLError) {
      return FileNode(try YAMLNode(parsing: bytes, options), path: "")
    } catch {
      let line = secondLine(error, bytes) ?? error.place?.line ?? 1
      throw ReadingError(FilePlace(line: line, column: error.place?.column ?? 1, path: ""), words(error, bytes))
    }
  }

  private static func words(_ error: YAMLError, _ bytes: [UInt8]) -> String {
    guard case .syntax(let problem) = error.reason else { return error.words }
    // The usual reason for such an error is a reference without quotes.
    let line = error.place.map { String(decoding: Self.line($0.line, of: bytes), as: UTF8.self) } ?? ""
    let reference = line.firstMatch(of: /\$?\{[A-Za-z_][A-Za-z0-9_.\-]*\}/).map { String($0.output) }
    return "not YAML: \(problem)" + (reference.map { " (texts with \($0) may need quotes)" } ?? "")
  }

  /// The line of a duplicate key, whose error has the place of the map: the second of the map's lines that begins with it.
  private static func secondLine(_ error: YAMLError, _ bytes: [UInt8]) -> Int? {
    guard case .duplicateKey(let key) = error.reason, let place = error.place else { return nil }
    let beginning = "\(key):"
    let indentation = place.column - 1
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropFirst(place.line - 1)
    // The first line can have the dash of a list before the map; the others end with the first that is indented less.
    let others = lines.dropFirst().prefix { line in
      let text = line.drop { $0 == 0x20 }
      return text.isEmpty || text.first == UInt8(ascii: "#") || line.count - text.count >= indentation
    }
    let found = lines[..<others.endIndex].indices.filter { index in
      let blanks = index == lines.startIndex ? [] : lines[index].prefix(indentation)
      return blanks.allSatisfy { $0 == 0x20 } && lines[index].dropFirst(indentation).starts(with: beginning.utf8)
    }
    return found.dropFirst().first.map { $0 + 1 }
  }

  private static func line(_ number: Int, of bytes: [UInt8]) -> ArraySlice<UInt8> {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: number, omittingEmptySubsequences: false)
    return number >= 1 && number <= lines.count ? lines[number - 1] : []
  }
}

/// Reads the top of a file.
enum BackendFileReader {
  private enum Key: String, CaseIterable { case understudy, calls, name, url, headers, auth, errors, error, config }

  static func definition(_ root: FileNode, file: String) throws(ReadingError) -> BackendDefinition {
    let members = try root.members(Key.self)
    guard let version = members[.understudy] else { throw root.error("understudy: write understudy: 1 at the top of the file") }
    guard version.integer == 1 else { throw version.error("write 1: this program reads no other version") }
    guard let calls = members[.calls] else { throw root.error("calls: write which calls the backend has") }
    let definition = BackendDefinition(
      file: file,
      name: try members[.name].map { node throws(ReadingError) in try node.text() },
      url: try members[.url].map(Self.url),
      headers: try members[.headers].map(HeaderReader.headers) ?? [],
      auth: try members[.auth].map(HeaderReader.headers) ?? HeaderReader.defaultAuth,
      errors: try members[.errors].map(ErrorRuleReader.rules) ?? [],
      errorPlaces: try members[.error].map(ErrorRuleReader.places) ?? ErrorPlaces(),
      config: try members[.config].map(Self.config),
      calls: try Self.calls(calls))
    try ReferenceCheck(definition).run()
    return definition
  }

  private static func url(_ node: FileNode) throws(ReadingError) -> BackendDefinition.NamedHost {
    guard let (origin, rest) = WebOrigin.read(try node.text()), rest.isEmpty || rest == "/" else {
      throw node.error("write an https address without a path, such as https://api.example.com")
    }
    return BackendDefinition.NamedHost(origin: origin, place: node.place)
  }

  private static func config(_ node: FileNode) throws(ReadingError) -> JSONTree {
    let names = CallName.appConfig.answer.map(\.name)
    for member in try node.members() where !names.contains(member.key) { throw member.unknown(among: names) }
    return try node.json()
  }

  private static func calls(_ node: FileNode) throws(ReadingError) -> [BackendDefinition.CallTemplate] {
    let members = try node.members()
    if members.isEmpty { throw node.error("write which calls the backend has") }
    var calls: [BackendDefinition.CallTemplate] = []
    for member in members {
      guard let name = CallName(rawValue: member.key) else {
        throw ReadingError(
          member.keyPlace, "no such call" + NearestWord.hint(member.key, among: CallName.allCases.map(\.rawValue)))
      }
      let requests = try RequestReader.requests(member.value, of: name)
      calls.append(BackendDefinition.CallTemplate(name: name, requests: requests, place: member.keyPlace))
    }
    return calls
  }
}
