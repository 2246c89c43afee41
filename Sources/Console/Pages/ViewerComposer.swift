import Observability
import Server
import Text
import Vault

/// Makes the page that shows an export: one file of the pages' own markup, modules, style sheets, icons and words.
///
/// Its policy allows the page's own scripts and styles by their digests, and nothing else; it connects to nothing.
struct ViewerComposer: FileComposer {
  /// The page; as a part of the pages it has no address.
  static let path = "parts/viewer.html"
  private static let entry = "assets/js/elements/viewer/viewer.js"
  private static let sprite = "assets/icons/sprite.svg"

  func isSource(_ path: String) -> Bool { false }

  func content(of path: String, from sources: inout SourceFiles) throws(CompositionError) -> [UInt8]? {
    guard path == Self.path, let page = try PageIncludes().content(of: path, from: &sources) else { return nil }
    let modules = Self.ownIcons(try ModuleBundle(entry: Self.entry, from: &sources).script)
    var scripts = [try Self.digest(of: modules)]
    var styles = ""
    var lines = [String]()
    var policyPlace = 0
    let source = Self.ownIcons(String(decoding: page, as: UTF8.self)).split(separator: "\n").map(String.init)
    for line in source {
      if line.contains("<meta charset") {
        policyPlace = lines.count + 1
        lines.append(line)
      } else if line.contains("<link ") {
        // Preloaded files are in the page already.
        guard line.contains("rel=\"stylesheet\""), let sheet = Self.value(of: "href", in: line) else { continue }
        styles += try Self.text(of: String(sheet.dropFirst()), &sources)
        // A link without `rel` loads nothing, and shows the modules that the style sheet is there.
        lines.append(line.replacing("rel=\"stylesheet\" ", with: ""))
      } else if line.contains("<script "), let script = Self.value(of: "src", in: line) {
        // The modules of the page's head are for pages with a console.
        guard !line.contains("type=\"module\"") else { continue }
        let text = try Self.text(of: String(script.dropFirst()), &sources)
        scripts.append(try Self.digest(of: text))
        lines.append("<script>\(text)</script>")
      } else if line.contains("</head>") {
        lines += ["<style>\(styles)</style>", line]
      } else if line.contains(ViewerPage.place) {
        let words = try Self.words(source, modules, &sources)
        let icons = try Self.text(of: Self.sprite, &sources).replacing("<symbol id=\"", with: "<symbol id=\"icon-")
        lines += [
          line, "<script type=\"application/json\" id=\"words\">\(words)</script>", "<div hidden>\(icons)</div>",
          "<script type=\"module\">\(modules)</script>",
        ]
      } else {
        lines.append(line)
      }
    }
    let policy = [
      "default-src 'none'", "script-src \(scripts.joined(separator: " "))", "style-src \(try Self.digest(of: styles))",
      "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
    ]
    lines.insert(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy.joined(separator: "; "))\">", at: policyPlace)
    return Array(lines.joined(separator: "\n").utf8)
  }

  /// Every section of words that the page or a module names, in every language, as JSON: by language, then by section.
  private static func words(
    _ page: [String], _ modules: String, _ sources: inout SourceFiles
  ) throws(CompositionError) -> String {
    let named = page.compactMap { value(of: "data-words", in: $0) }
    let loaded = modules.split(separator: "loadWords(\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
    let languages = page.first { $0.contains("name=\"languages\"") }.flatMap { value(of: "content", in: $0) } ?? ""
    var objects: [String] = []
    for language in languages.split(separator: " ").map({ String($0.prefix { $0 != "=" }) }) {
      let sections = try PageWords.sections(Set(["common"] + named + loaded).sorted(), of: language, from: &sources)
      guard !sections.isEmpty else { continue }
      let members = sections.map { "\"\($0.name)\":\($0.object)" }
      objects.append("\"\(language)\":{\(members.joined(separator: ",\n"))}")
    }
    // No message can end the element.
    return "{\(objects.joined(separator: ",\n"))}".replacing("<", with: "\\u003c")
  }

  /// A file of the pages, with the icons that are in the page itself.
  private static func text(of path: String, _ sources: inout SourceFiles) throws(CompositionError) -> String {
    guard let bytes = try sources.bytes(of: path) else { throw .invalid("\(path), which the viewer needs, does not exist") }
    return ownIcons(String(decoding: bytes, as: UTF8.self))
  }

  private static func ownIcons(_ text: String) -> String { text.replacing("/\(sprite)#", with: "#icon-") }

  /// The digest that allows a script or a style sheet in the page; throws `invalid` for a text that would end its element early.
  private static func digest(of text: String) throws(CompositionError) -> String {
    for end in ["</script", "</style", "<!--"] where text.contains(end) { throw .invalid("the viewer cannot contain \(end)") }
    return "'sha256-\(Base64.encode(SHA256Digest.hash(text)))'"
  }

  /// The value of an attribute that is in the line.
  private static func value(of name: String, in line: String) -> String? {
    let parts = line.split(separator: "\(name)=\"", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 ? String(parts[1].prefix { $0 != "\"" }) : nil
  }
}
