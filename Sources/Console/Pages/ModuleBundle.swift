import Server

/// Modules of the pages as one script, for a page on a disk, which cannot load modules: each becomes a function that runs on its
/// first import.
///
/// Accepts only the style in which the pages are written: named imports, imports without names, and declarations that are
/// exported in place.
struct ModuleBundle {
  private let entry: String
  private var modules: [Module] = []

  /// Collects the entry module, its static and dynamic imports, and the static imports of all of these.
  ///
  /// Throws `CompositionError.invalid` for a module that is missing or written in another style.
  init(entry: String, from sources: inout SourceFiles) throws(CompositionError) {
    self.entry = entry
    var open = [entry]
    var known = Set(open)
    while let path = open.popLast() {
      guard let bytes = try sources.bytes(of: path) else { throw .invalid("\(path), which the viewer needs, does not exist") }
      let module = try Module(path, String(decoding: bytes, as: UTF8.self))
      modules.append(module)
      for target in module.imports + (path == entry ? module.laterImports : []) where known.insert(target).inserted {
        open.append(target)
      }
    }
  }

  /// The script, which is a module itself; an import of any other module never ends.
  var script: String {
    let functions = modules.sorted { $0.path < $1.path }.map { "\"\($0.path)\": async () => {\n\($0.body)},\n" }
    return """
      const $modules = {
      \(functions.joined())};
      const $loaded = {};
      const $load = (path) => $loaded[path] ??= $modules[path]?.() ?? new Promise(() => {});
      await $load("\(entry)");

      """
  }
}

/// A module as the body of a function that returns its exports.
private struct Module {
  let path: String
  /// The paths of the modules that it imports before it runs.
  private(set) var imports: [String] = []
  /// The paths of the modules that it imports dynamically.
  private(set) var laterImports: [String] = []
  /// The statements, without comments on lines of their own.
  private(set) var body = ""

  private static let laterImport = "import(\""

  init(_ path: String, _ text: String) throws(CompositionError) {
    self.path = path
    var exports: [String] = []
    var isComment = false
    var lines = text.split(separator: "\n")[...]
    while var line = lines.popFirst().map(String.init) {
      let start = line.drop { $0 == " " }
      if isComment {
        isComment = !line.hasSuffix("*/")
      } else if start.hasPrefix("/*"), !start.contains("*/") || start.hasSuffix("*/") {
        isComment = !start.hasSuffix("*/")
      } else if line.hasPrefix("import ") {
        while !line.hasSuffix(";"), let more = lines.popFirst() { line += more }
        body += try importing(line) + "\n"
      } else if !start.hasPrefix("//") {
        if line.hasPrefix("export ") {
          line.removeFirst("export ".count)
          exports += try names(declaredBy: line)
        }
        body += try importingLater(line) + "\n"
      }
    }
    body += "return { \(exports.joined(separator: ", ")) };\n"
  }

  /// `import { a, b as c } from "./d.js";` as `const { a, b: c } = await $load("d.js");`.
  private mutating func importing(_ statement: String) throws(CompositionError) -> String {
    let parts = statement.split(separator: "\"", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[2] == ";" else { throw unreadable(statement) }
    let target = try resolved(parts[1])
    imports.append(target)
    let load = "await $load(\"\(target)\");"
    if parts[0] == "import " { return load }
    guard parts[0].hasPrefix("import {"), parts[0].hasSuffix("} from ") else { throw unreadable(statement) }
    return "const\(parts[0].dropFirst("import".count).dropLast("from ".count).replacing(" as ", with: ": "))= \(load)"
  }

  /// Replaces `import("./d.js")` by `$load("d.js")`.
  private mutating func importingLater(_ line: String) throws(CompositionError) -> String {
    guard line.contains(Self.laterImport) else { return line }
    var parts = line.split(separator: Self.laterImport, omittingEmptySubsequences: false).map(String.init)
    for index in parts.indices.dropFirst() {
      guard let end = parts[index].firstIndex(of: "\"") else { throw unreadable(line) }
      let target = try resolved(parts[index][..<end])
      laterImports.append(target)
      parts[index] = "$load(\"" + target + parts[index][end...]
    }
    return parts.joined()
  }

  /// The names of `const a = …`, `const [a, b] = …`, `class A …`, `function a(…`, and `async function a(…`.
  private func names(declaredBy line: String) throws(CompositionError) -> [String] {
    let words = line.replacing("async ", with: "").split(separator: " ", maxSplits: 1)
    guard words.count == 2, ["const", "class", "function"].contains(words[0]) else { throw unreadable(line) }
    let isName = { (character: Character) in character.isLetter || character.isNumber || "_$".contains(character) }
    if words[1].first == "[", let end = words[1].firstIndex(of: "]") {
      return words[1][..<end].split { !isName($0) }.map(String.init)
    }
    let name = words[1].prefix(while: isName)
    guard !name.isEmpty else { throw unreadable(line) }
    return [String(name)]
  }

  /// The path of an imported module below the pages' folder.
  private func resolved(_ specifier: Substring) throws(CompositionError) -> String {
    guard specifier.hasPrefix(".") else { throw unreadable(String(specifier)) }
    var folders = path.split(separator: "/").dropLast()
    for part in specifier.split(separator: "/") where part != "." {
      if part == ".." { folders = folders.dropLast() } else { folders.append(part) }
    }
    return folders.joined(separator: "/")
  }

  private func unreadable(_ text: String) -> CompositionError { .invalid("\(path): the viewer cannot read \(text)") }
}
