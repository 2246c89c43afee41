import Client

/// The pins of a backend, from flags and from a file that may change while the console runs.
struct PinSource: Sendable {
  /// The pins of the flags.
  private let fixed: Set<SPKIPin>
  /// The file, one pin a line; nil for none.
  let path: String?

  /// Reads the file for the first time; throws the errors of `read`.
  init(_ pins: [SPKIPin], path: String?) throws(StartFailure) {
    fixed = Set(pins)
    self.path = path
    _ = try read()
  }

  /// All current pins; throws `StartFailure` (66, 78) for a file that is unusable.
  func read() throws(StartFailure) -> Set<SPKIPin> {
    guard let path else { return fixed }
    return fixed.union(try FlagReader.pin.values(ofFile: path, flag: "--pin-file"))
  }
}
