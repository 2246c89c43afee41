import JSON
import Server

/// Gives each page the words that it needs, in one language.
///
/// `assets/locales/<language>.json` contains the words of a language by section. A page loads
/// `assets/locales/<language>/<section>.json`.
struct PageWords: FileComposer {
  private static let folder = "assets/locales/"

  func isSource(_ path: String) -> Bool {
    path.hasPrefix(Self.folder) && !path.dropFirst(Self.folder.count).contains("/")
  }

  func content(of path: String, from sources: inout SourceFiles) throws(CompositionError) -> [UInt8]? {
    guard path.hasPrefix(Self.folder), path.hasSuffix(".json") else { return nil }
    let names = path.dropFirst(Self.folder.count).dropLast(5).split(separator: "/", omittingEmptySubsequences: false)
    guard names.count == 2 else { return nil }
    return try Self.sections([String(names[1])], of: String(names[0]), from: &sources).first.map { Array("\($0.object)\n".utf8) }
  }

  /// The words of these sections in a language, each as a JSON object; leaves out a section that the language does not have.
  static func sections(
    _ names: [String], of language: String, from sources: inout SourceFiles
  ) throws(CompositionError) -> [(name: String, object: String)] {
    let file = "\(folder)\(language).json"
    guard let bytes = try sources.bytes(of: file) else { return [] }
    let words: JSONDocument
    do { words = try JSONDocument(parsing: bytes) } catch {
      throw .invalid("\(file) is not valid JSON: \(error.reason.words), at byte \(error.offset)")
    }
    return names.compactMap { name in
      guard let section = words.root[name], section.kind == .object else { return nil }
      let messages = section.memberNodes.map { "\($0.key.sourceText):\($0.value.sourceText)" }
      return (name, "{\(messages.joined(separator: ",\n"))}")
    }
  }
}
