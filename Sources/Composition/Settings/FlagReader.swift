import ArgumentParser
import Client
import Console
import Foundation
import Reactor
import Redaction
import Text

/// Reads the text of a flag into its type.
struct FlagReader<Value: Sendable>: Sendable {
  /// The required form of a text, which ends the message about an invalid text.
  private let kind: String
  private let read: @Sendable (String) -> Value?

  /// A reader whose `read` returns nil for a text of another kind.
  init(_ kind: String, read: @escaping @Sendable (String) -> Value?) { (self.kind, self.read) = (kind, read) }

  /// The value; throws the message that follows the flag and the text.
  @Sendable func value(_ text: String) throws(ValidationError) -> Value {
    guard let value = read(text) else { throw ValidationError("is not \(kind)") }
    return value
  }

  /// The values of a file, one a line; empty lines and lines that start with `#` are ignored.
  ///
  /// Throws `StartFailure`: 66 if the file cannot be read, 78 if a line is invalid or there is none, because an empty file would
  /// turn off its own purpose.
  func values(ofFile path: String, flag: String) throws(StartFailure) -> [Value] {
    var values: [Value] = []
    let lines = try ServeSettings.file(path, flag: flag).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let word = line.trimmingWhitespace
      guard !word.isEmpty, !word.hasPrefix("#") else { continue }
      guard let value = read(word) else { throw .configuration("\(flag): line \(index + 1) is not \(kind)") }
      values.append(value)
    }
    guard !values.isEmpty else { throw .configuration("\(flag): \(path) is empty") }
    return values
  }
}

extension FlagReader where Value == String {
  static var host: Self {
    FlagReader("localhost or an IP address") { $0 == "localhost" || SocketAddress(host: $0, port: 0) != nil ? $0 : nil }
  }

  static var linkHost: Self { FlagReader("host[:port]") { Origin("https://\($0)") != nil ? $0 : nil } }

  static var path: Self { FlagReader("a path") { $0.isEmpty ? nil : $0 } }
}

extension FlagReader where Value == Origin {
  /// Ignores a slash at the end.
  static var origin: Self {
    FlagReader("scheme://host[:port]") { Origin($0.hasSuffix("/") ? String($0.dropLast()) : $0) }
  }
}

extension FlagReader where Value == SPKIPin {
  static var pin: Self { FlagReader("sha256/ and 32 bytes in Base64") { SPKIPin($0) } }
}

extension FlagReader where Value == MaskedName {
  static var maskedName: Self { FlagReader("a name of at least two letters or digits") { MaskedName($0) } }
}

extension FlagReader where Value: FixedWidthInteger {
  static func number(_ range: ClosedRange<Value>) -> Self {
    FlagReader("a number from \(range.lowerBound) to \(range.upperBound)") { Value($0).flatMap { range.contains($0) ? $0 : nil } }
  }
}

extension FlagReader where Value == UInt16 {
  static var port: Self { number(0...UInt16.max) }
}

extension FlagReader where Value: CaseIterable & RawRepresentable<String> {
  /// One of the values' names.
  static var name: Self { FlagReader(Value.names) { Value(rawValue: $0) } }
}

extension CaseIterable where Self: RawRepresentable<String> {
  /// The names of all values: `a, b or c`.
  static var names: String {
    let names = allCases.map(\.rawValue)
    return "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
  }
}

extension Option where Value: Sendable {
  /// A flag with a default, which its help shows.
  init(wrappedValue: Value, help: ArgumentHelp, read: FlagReader<Value>) {
    var help = help
    help.abstract += " (default: \(wrappedValue))"
    self.init(wrappedValue: wrappedValue, help: help, transform: read.value)
  }

  /// A flag that can be repeated.
  init<Element: Sendable>(wrappedValue: [Element], help: ArgumentHelp, read: FlagReader<Element>) where Value == [Element] {
    self.init(wrappedValue: wrappedValue, help: help, transform: read.value)
  }

  /// A flag without a default, or with one that is decided at its use.
  init<Wrapped: Sendable>(help: ArgumentHelp, read: FlagReader<Wrapped>) where Value == Wrapped? {
    self.init(help: help, transform: read.value)
  }
}
