import JSON
import Server

/// Gives each page the words that it needs, in one language.
///
/// `assets/locales/<language>.json` contains the words of a language by section. Words that change together in all languages stand
/// in a file of `assets/locales/topics/` instead: by section, then by key, then by language. A page loads
/// `assets/locales/<language>/<section>.json`, which is made of both. Long messages may be arrays of strings, which are joined.
struct PageWords: FileComposer {
  private static let folder = "assets/locales/"
  private static let topics = "assets/locales/topics"

  func isSource(_ path: String) -> Bool {
    path.hasPrefix(Self.topics + "/") || path.hasPrefix(Self.folder) && !path.dropFirst(Self.folder.count).contains("/")
  }

  func content(of path: String, from sources: inout SourceFiles) throws(CompositionError) -> [UInt8]? {
    guard path.hasPrefix(Self.folder), path.hasSuffix(".json") else { return nil }
    let names = path.dropFirst(Self.folder.count).dropLast(5).split(separator: "/", omittingEmptySubsequences: false)
    guard names.count == 2 else { return nil }
    let (language, section) = (String(names[0]), String(names[1]))
    return try Self.sections([section], of: language, from: &sources).first.map { $0.object + "\n".utf8 }
  }

  /// The words of these sections in a language, each as a JSON object; leaves out a section without words.
  static func sections(
    _ names: [String], of language: String, from sources: inout SourceFiles
  ) throws(CompositionError) -> [(name: String, object: [UInt8])] {
    guard let words = try document("\(folder)\(language).json", &sources) else { return [] }
    var shared: [JSONDocument] = []
    for name in sources.names(in: topics) {
      if let topic = try document("\(topics)/\(name)", &sources) { shared.append(topic) }
    }
    return names.compactMap { name in
      var messages = words.root[name]?.memberNodes.map { ($0.key, $0.value) } ?? []
      for (key, translations) in shared.flatMap({ $0.root[name]?.memberNodes ?? [] }) {
        if let message = translations[language] { messages.append((key, message)) }
      }
      return messages.isEmpty ? nil : (name, object(messages))
    }
  }

  private static func object(_ messages: [(JSONNode, JSONNode)]) -> [UInt8] {
    var object: [UInt8] = [UInt8(ascii: "{")]
    for (key, message) in messages {
      if object.count > 1 { object += ",\n".utf8 }
      object += key.sourceText.utf8
      object.append(UInt8(ascii: ":"))
      append(message, to: &object)
    }
    return object + "}".utf8
  }

  private static func document(_ path: String, _ sources: inout SourceFiles) throws(CompositionError) -> JSONDocument? {
    guard let bytes = try sources.bytes(of: path) else { return nil }
    do { return try JSONDocument(parsing: bytes) } catch {
      throw .invalid("\(path) is not valid JSON: \(error.reason.words), at byte \(error.offset)")
    }
  }

  /// Appends a message: a sentence, the strings of a long one, or one of these per plural category.
  private static func append(_ message: JSONNode, to bytes: inout [UInt8]) {
    switch message.kind {
    case .array:
      bytes.append(UInt8(ascii: "\""))
      for part in message.elements { bytes += part.sourceText.utf8.dropFirst().dropLast() }
      bytes.append(UInt8(ascii: "\""))
    case .object:
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in message.memberNodes.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes += member.key.sourceText.utf8
        bytes.append(UInt8(ascii: ":"))
        append(member.value, to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    default: bytes += message.sourceText.utf8
    }
  }
}
