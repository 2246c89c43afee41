package import ArgumentParser
import Foundation
import Redaction

/// The flags that name further values to mask.
package struct MaskOptions: ParsableArguments {
  @Option(help: "Name of a field or header whose values are masked as well; can be repeated.") package var mask: [String] = []
  @Option(help: "File of such names, one per line.") package var maskFile: String?
  package init() {}

  /// The most names of a file.
  private static let limit = 1000

  /// The rules of redaction with the names of flags and file; empty lines and lines that start with `#` are ignored.
  ///
  /// Throws `StartFailure`: 64 for a flag that is no name, 66 if the file cannot be read, 78 if a line of it is no name, it has more than
  /// 1,000, or it has none, since an empty file would show what it was meant to mask.
  func rules(_ environment: EnvironmentFlags) throws(StartFailure) -> RedactionRules {
    var names: [MaskedName] = []
    for text in mask.isEmpty ? environment.list("mask") : mask {
      guard let name = MaskedName(text) else {
        throw .usage("--mask: '\(text.prefix(100))' is not a name of at least two letters or digits")
      }
      names.append(name)
    }
    if let path = maskFile ?? environment.text("mask-file") { names += try Self.names(ofFile: path) }
    return RedactionRules(masking: names)
  }

  private static func names(ofFile path: String) throws(StartFailure) -> [MaskedName] {
    var names: [MaskedName] = []
    let text = try ServeSettings.file(path, flag: "--mask-file")
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let word = line.trimmingCharacters(in: .whitespaces)
      guard !word.isEmpty, !word.hasPrefix("#") else { continue }
      guard let name = MaskedName(word) else {
        throw .configuration("--mask-file: line \(index + 1) is not a name of at least two letters or digits")
      }
      names.append(name)
    }
    guard !names.isEmpty else { throw .configuration("--mask-file: \(path) contains no name") }
    guard names.count <= limit else { throw .configuration("--mask-file: \(path) has more than \(limit) names") }
    return names
  }
}
