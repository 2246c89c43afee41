/// A request as received.
struct ScriptedRequest: Sendable, Equatable {
  /// The request line and the header lines.
  var lines: [String]
  var body: [UInt8]

  var requestLine: String { lines.first ?? "" }

  /// The values of a header field, by its lower-case name.
  func values(_ name: String) -> [String] {
    lines.dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name else { return nil }
      return String(line[line.index(after: colon)...].drop { $0 == " " })
    }
  }
}
