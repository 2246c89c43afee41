import Client
import Foundation

/// The pins of a backend, from flags and from a file that may change while the console runs.
struct PinSource: Sendable {
  /// The pins of the flags.
  private let fixed: Set<SPKIPin>
  /// The file, one pin a line; nil for none.
  let path: String?

  /// Parses the flags; throws `StartFailure` (64) for an invalid pin, and what `read` throws.
  init(texts: [String], path: String?) throws(StartFailure) {
    var pins: Set<SPKIPin> = []
    for text in texts {
      guard let pin = SPKIPin(text) else { throw .usage("--pin: '\(text)' is not sha256/ and 32 bytes in Base64") }
      pins.insert(pin)
    }
    fixed = pins
    self.path = path
    _ = try read()
  }

  /// All current pins; empty lines and lines that start with `#` are ignored.
  ///
  /// Throws `StartFailure`: 66 if the file cannot be read, 78 if a line is not a pin or the file has none, since an empty file
  /// would turn pinning off.
  func read() throws(StartFailure) -> Set<SPKIPin> {
    guard let path else { return fixed }
    let text = try ServeSettings.file(path, flag: "--pin-file")
    var pins: Set<SPKIPin> = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let word = line.trimmingCharacters(in: .whitespacesAndNewlines)
      guard !word.isEmpty, !word.hasPrefix("#") else { continue }
      guard let pin = SPKIPin(word) else {
        throw .configuration("--pin-file: line \(index + 1) is not sha256/ and 32 bytes in Base64")
      }
      pins.insert(pin)
    }
    guard !pins.isEmpty else { throw .configuration("--pin-file: \(path) contains no pin") }
    return pins.union(fixed)
  }
}
