import Foundation
import Text

/// Reads flags from the environment: `--log-level` is `UNDERSTUDY_LOG_LEVEL`.
package struct EnvironmentFlags: Sendable {
  private let variables: [String: String]

  /// Reads `variables`, by default the process's environment.
  package init(_ variables: [String: String]? = nil) { self.variables = variables ?? ProcessInfo.processInfo.environment }

  /// The text of a flag; nil if it is unset or empty.
  package func text(_ flag: String) -> String? {
    variables[Self.name(flag)].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The name of a flag's variable.
  private static func name(_ flag: String) -> String { "UNDERSTUDY_" + flag.replacing("-", with: "_").uppercased() }

  /// The elements of a comma-separated list.
  package func list(_ flag: String) -> [String] {
    (text(flag) ?? "").split(separator: ",").map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
  }

  /// The number given on the command line, or else in the environment; throws `StartFailure` (64) for an invalid one.
  package func number<Number: FixedWidthInteger>(_ flag: String, given: Number?) throws(StartFailure) -> Number? {
    if let given { return given }
    guard let text = text(flag) else { return nil }
    guard text.utf8.allSatisfy({ ASCII.isDigit($0) }), let number = Number(text) else {
      throw .usage("\(Self.name(flag)): '\(text)' is not a valid number")
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
    throw .usage("\(Self.name(flag)): '\(text)' is neither true nor false")
  }
}
