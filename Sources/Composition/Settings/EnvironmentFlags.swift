import Configuration

/// The flags as they stand in the environment: `--log-level` is `UNDERSTUDY_LOG_LEVEL`.
package struct EnvironmentFlags: Sendable {
  private let reader: ConfigReader

  /// Reads the process's environment, or the one given.
  package init(_ variables: [String: String]? = nil) {
    let provider = variables.map { EnvironmentVariablesProvider(environmentVariables: $0) } ?? EnvironmentVariablesProvider()
    reader = ConfigReader(provider: provider)
  }

  /// The text of a flag, where it is set and not empty.
  package func text(_ flag: String) -> String? {
    let key = "understudy." + flag.split(separator: "-").joined(separator: ".")
    return reader.string(forKey: ConfigKey(key)).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A list flag: comma-separated.
  package func list(_ flag: String) -> [String] {
    (text(flag) ?? "").split(separator: ",").map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
  }

  /// A number flag, unless it was given on the command line; throws `StartFailure` (64) for anything else.
  package func number<Number: FixedWidthInteger>(_ flag: String, given: Number?) throws(StartFailure) -> Number? {
    if let given { return given }
    guard let text = text(flag) else { return nil }
    guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Number(text) else {
      throw .usage("UNDERSTUDY_\(flag.uppercased()): '\(text)' is not a number it may be")
    }
    return number
  }

  /// A switch, unless it was given: `1`, `true`, `yes` or `on`, and their opposites; throws `StartFailure` (64) for anything else.
  package func isOn(_ flag: String, given: Bool) throws(StartFailure) -> Bool {
    if given { return true }
    guard let text = text(flag)?.lowercased() else { return false }
    if ["1", "true", "yes", "on"].contains(text) { return true }
    if ["0", "false", "no", "off"].contains(text) { return false }
    throw .usage("UNDERSTUDY_\(flag.replacing("-", with: "_").uppercased()): '\(text)' is neither true nor false")
  }
}
