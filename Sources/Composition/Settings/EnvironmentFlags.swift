import ArgumentParser
import Foundation

/// Variables of the environment that stand in for flags: `UNDERSTUDY_LOG_LEVEL` for `--log-level`.
package struct EnvironmentFlags: Sendable {
  private static let prefix = "UNDERSTUDY_"

  /// The variables that are set, by name; an empty one counts as unset.
  private let variables: [String: String]

  /// Reads `variables`, by default the process's environment.
  package init(_ variables: [String: String] = ProcessInfo.processInfo.environment) {
    self.variables = variables.filter { $0.key.hasPrefix(Self.prefix) && !$0.value.isEmpty }
  }

  /// Whether no variable is set, except perhaps that of one flag.
  func isEmpty(except flag: String) -> Bool { variables.allSatisfy { $0.key == Self.name(flag) } }

  /// The name of a flag's variable.
  static func name(_ flag: String) -> String { prefix + flag.replacing("-", with: "_").uppercased() }

  /// The arguments that a command's variables stand for, except for flags that `words` contain.
  ///
  /// Throws `StartFailure`: 64 for a variable of a switch that is neither true nor false, and the errors of the command's
  /// `check`.
  func arguments(for command: any ParsableCommand.Type, beside words: some Sequence<String>) throws(StartFailure) -> [String] {
    var given = GivenFlags(
      flags: Set(words.filter { $0.hasPrefix("--") }.map { $0.dropFirst(2).prefix { $0 != "=" } }.map(String.init)))
    if !variables.isEmpty {
      for (flag, declaration) in Self.flags(of: command.init()) where !given.flags.contains(flag) {
        guard let text = variables[Self.name(flag)] else { continue }
        guard let arguments = declaration.arguments(flag, text) else {
          throw .usage("\(Self.name(flag)): '\(text)' is neither true nor false")
        }
        if !arguments.isEmpty { given.variables[flag] = arguments }
      }
    }
    try (command as? any CheckedFlags.Type)?.check(&given)
    return given.variables.sorted { $0.key < $1.key }.flatMap(\.value)
  }

  private static func flags(of options: any ParsableArguments) -> [(name: String, declaration: any FlagDeclaration.Type)] {
    Mirror(reflecting: options).children.flatMap { property, value -> [(name: String, declaration: any FlagDeclaration.Type)] in
      if let group = value as? any FlagGroup { return flags(of: group.options) }
      guard let property, let flag = value as? any FlagDeclaration else { return [] }
      return [(name(ofProperty: property), type(of: flag))]
    }
  }

  /// The name that `ArgumentParser` gives to a property's flag: `api-id` for `_apiID`.
  private static func name(ofProperty property: String) -> String {
    zip(property, property.dropFirst()).map { $0.isLowercase && $1.isUppercase ? "-\($1)" : "\($1)" }.joined().lowercased()
  }
}

/// The flags of a command line, and the arguments of the variables that stand in for others, by flag.
struct GivenFlags {
  let flags: Set<String>
  var variables: [String: [String]] = [:]

  /// Whether a flag is given, by itself or by its variable.
  subscript(flag: String) -> Bool { flags.contains(flag) || variables[flag] != nil }

  /// Removes a flag's variable, which may be meant for other starts, if `other` is given; throws `StartFailure` (64) if the flag
  /// itself is given.
  mutating func remove(_ flag: String, beside other: String) throws(StartFailure) {
    guard !(flags.contains(flag) && self[other]) else { throw .usage("--\(other) cannot be combined with --\(flag)") }
    if self[other] { variables[flag] = nil }
  }
}

/// A command with flags that exclude each other.
protocol CheckedFlags {
  /// Throws `StartFailure` (64) for flags that exclude each other.
  static func check(_ given: inout GivenFlags) throws(StartFailure)
}

/// A property that declares a flag.
private protocol FlagDeclaration {
  /// The arguments for the text of the flag's variable; nil if the text is invalid.
  static func arguments(_ flag: String, _ text: String) -> [String]?
}

extension Option: FlagDeclaration {
  /// The elements of a list are separated by commas.
  fileprivate static func arguments(_ flag: String, _ text: String) -> [String]? {
    guard Value.self is any ExpressibleByArrayLiteral.Type else { return ["--\(flag)=\(text)"] }
    return text.split(separator: ",").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }.map { "--\(flag)=\($0)" }
  }
}

extension Flag: FlagDeclaration {
  fileprivate static func arguments(_ flag: String, _ text: String) -> [String]? {
    switch text.lowercased() {
    case "1", "true", "yes", "on": ["--\(flag)"]
    case "0", "false", "no", "off": []
    default: nil
    }
  }
}

/// A property that declares a group of flags.
private protocol FlagGroup {
  /// The group's declarations.
  var options: any ParsableArguments { get }
}

extension OptionGroup: FlagGroup {
  fileprivate var options: any ParsableArguments { Value() }
}
