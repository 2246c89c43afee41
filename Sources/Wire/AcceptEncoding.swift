import Text

/// The content codings that a client accepts, with their weights in thousandths (RFC 9110 §12.5.3).
package struct AcceptEncoding: Equatable, Sendable {
  private var weights: [String: Int] = [:]
  private let isPresent: Bool

  /// Parses the field's combined value; nil means that the field is absent. Ignores malformed members.
  package init(_ value: String?) {
    isPresent = value != nil
    // Split by bytes: a comma followed by a combining character is not a `Character` of its own.
    for member in (value ?? "").utf8.split(separator: 0x2C).prefix(32).map(Substring.init) {
      let parts = member.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
      guard let coding = parts.first.map({ String($0.trimmingBlanks) }), !coding.isEmpty,
        coding.utf8.allSatisfy(ASCII.isToken)
      else {
        continue
      }
      guard let weight = parts.count == 2 ? Self.weight(String(parts[1].trimmingBlanks)) : 1000 else { continue }
      let name = coding.lowercased()
      weights[name == "x-gzip" ? "gzip" : name] = weight
    }
  }

  /// The weight of a coding; 0 if it is not acceptable. `identity` is acceptable unless it, or only `*`, has weight 0.
  package func weight(of coding: String) -> Int {
    if let weight = weights[coding] { return weight }
    if let any = weights["*"] { return any }
    return coding == "identity" ? 1 : 0
  }

  /// Whether gzip is acceptable and at least as preferred as no compression.
  package var prefersGzip: Bool {
    let gzip = weight(of: "gzip")
    return isPresent && gzip > 0 && gzip >= (weights["identity"] ?? 0)
  }

  /// Parses `q=` and a weight with at most three decimals (RFC 9110 §12.4.2), in thousandths.
  private static func weight(_ parameter: String) -> Int? {
    let bytes = Array(parameter.utf8)
    guard bytes.count >= 3, bytes.count <= 7, ASCII.lowercased(bytes[0]) == 0x71, bytes[1] == 0x3D else { return nil }
    guard bytes[2] == 0x30 || bytes[2] == 0x31, bytes.count == 3 || bytes[3] == 0x2E else { return nil }
    var value = Int(bytes[2] &- 0x30) * 1000
    var unit = 100
    for byte in bytes.dropFirst(4) {
      guard ASCII.isDigit(byte) else { return nil }
      value += Int(byte &- 0x30) * unit
      unit /= 10
    }
    return value <= 1000 ? value : nil
  }

  /// Whether a value without weights accepts gzip, parsed without creating strings; nil if the value has weights or is too long.
  ///
  /// Without weights all listed codings are equally preferred, and `identity` is always acceptable.
  package static func acceptsGzip(unweighted value: UnsafeBufferPointer<UInt8>) -> Bool? {
    guard value.count <= 128, !value.contains(0x3B) else { return nil }
    let bytes = value.span
    var takes = false
    ListGrammar.forEachElement(bytes, 0, bytes.count) { first, last in
      takes =
        takes || RequestLine.matches(bytes, first, last, "gzip", ignoringCase: true)
        || RequestLine.matches(bytes, first, last, "x-gzip", ignoringCase: true)
        || RequestLine.matches(bytes, first, last, "*")
    }
    return takes
  }
}
