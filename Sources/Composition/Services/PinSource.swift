import Client
import Foundation

/// Where the pins of a backend come from: flags, and a file that may change while the console runs.
struct PinSource: Sendable {
  /// The pins of the flags.
  private let fixed: Set<SPKIPin>
  /// The file, one pin a line; nil for none.
  let path: String?

  /// Reads the flags' pins; throws `StartFailure` (64) for one that is none, and what `read` throws.
  init(texts: [String], path: String?) throws(StartFailure) {
    var pins: Set<SPKIPin> = []
    for text in texts {
      guard let pin = SPKIPin(text) else { throw .usage("--pin: '\(text)' is not sha256/ and 32 bytes in base64") }
      pins.insert(pin)
    }
    fixed = pins
    self.path = path
    _ = try read()
  }

  /// All pins as they are now; empty lines and lines that begin with `#` are passed over.
  ///
  /// Throws `StartFailure`: 66 where the file cannot be read, 78 where a line is no pin or the file holds none, as an empty file would
  /// switch pinning off.
  func read() throws(StartFailure) -> Set<SPKIPin> {
    guard let path else { return fixed }
    let text = try ServeSettings.file(path, flag: "--pin-file")
    var pins: Set<SPKIPin> = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let word = line.trimmingCharacters(in: .whitespacesAndNewlines)
      guard !word.isEmpty, !word.hasPrefix("#") else { continue }
      guard let pin = SPKIPin(word) else {
        throw .configuration("--pin-file: line \(index + 1) is not sha256/ and 32 bytes in base64")
      }
      pins.insert(pin)
    }
    guard !pins.isEmpty else { throw .configuration("--pin-file: \(path) holds no pin") }
    return pins.union(fixed)
  }
}
