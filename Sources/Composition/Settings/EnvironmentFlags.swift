import Configuration

/// Reads flags from the environment: `--log-level` is `UNDERSTUDY_LOG_LEVEL`.
package struct EnvironmentFlags: Sendable {
  private let reader: ConfigReader

  /// Reads `variables`, by default the process's environment.
  package init(_ variables: [String: String]? = nil) {
    let provider = variables.map { EnvironmentVariablesProvider(environmentVariables: $0) } ?? EnvironmentVariablesProvider()
    reader = ConfigReader(provider: provider)
  }

  /// The text of a flag; nil if it is unset or empty.
  package func text(_ flag: String) -> String? {
    let key = "understudy." + flag.split(separator: "-").joined(separator: ".")
    return reader.string(forKey: ConfigKey(key)).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The elements of a comma-separated list.
  package func list(_ flag: String) -> [String] {
    (text(flag) ?? "").split(separator: ",").map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
  }

  /// The number given on the command line, or else in the environment; throws `StartFailure` (64) for an invalid one.
  package func number<Number: FixedWidthInteger>(_ flag: String, given: Number?) throws(StartFailure) -> Number? {
    if let given { return given }
    guard let text = text(flag) else { return nil }
    guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Number(text) else {
      throw .usage("UNDERSTUDY_\(flag.uppercased()): '\(text)' is not a valid number")
    }
    return number
  }

  /// Whether a switch is given on the command line, or else is `1`, `true`, `yes` or `on` in the environment; throws
  /// `StartFailure` (64) for anything but these and their opposites.
  package func isOn(_ flag: String, given: Bool) throws(StartFailure) -> Bool {
    if given { return true }
    guard let text = text(flag)?.lowercased() else { return false }
    if ["1", "true", "yes", "on"].contains(text) { return true }
    if ["0", "false", "no", "off"].contains(text) { return false }
    throw .usage("UNDERSTUDY_\(flag.replacing("-", with: "_").uppercased()): '\(text)' is neither true nor false")
  }
}
