/// Which content codings a client takes, with their weights in thousandths (RFC 9110 §12.5.3).
package struct AcceptEncoding: Equatable, Sendable {
  private var weights: [String: Int] = [:]
  private let isPresent: Bool

  /// Reads the field's combined value; nil means that the field was not sent. Malformed members are left out.
  package init(_ value: String?) {
    isPresent = value != nil
    // By bytes: a comma beside a combining character is no character of its own.
    for member in (value ?? "").utf8.split(separator: 0x2C).prefix(32).map(Substring.init) {
      let parts = member.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
      guard let coding = parts.first.map(Self.trimmed), !coding.isEmpty, coding.utf8.allSatisfy(ByteClass.isToken) else {
        continue
      }
      guard let weight = parts.count == 2 ? Self.weight(Self.trimmed(parts[1])) : 1000 else { continue }
      let name = coding.lowercased()
      weights[name == "x-gzip" ? "gzip" : name] = weight
    }
  }

  /// The weight of a coding: 0 where it is refused. `identity` is acceptable unless it, or `*` alone, says 0.
  package func weight(of coding: String) -> Int {
    if let weight = weights[coding] { return weight }
    if let any = weights["*"] { return any }
    return coding == "identity" ? 1 : 0
  }

  /// Whether gzip is taken and at least as welcome as the plain form.
  package var prefersGzip: Bool {
    let gzip = weight(of: "gzip")
    return isPresent && gzip > 0 && gzip >= (weights["identity"] ?? 0)
  }

  /// `q=` and a weight of at most three decimals (RFC 9110 §12.4.2), in thousandths.
  private static func weight(_ parameter: String) -> Int? {
    let bytes = Array(parameter.utf8)
    guard bytes.count >= 3, bytes.count <= 7, ByteClass.lowercased(bytes[0]) == 0x71, bytes[1] == 0x3D else { return nil }
    guard bytes[2] == 0x30 || bytes[2] == 0x31, bytes.count == 3 || bytes[3] == 0x2E else { return nil }
    var value = Int(bytes[2] &- 0x30) * 1000
    var unit = 100
    for byte in bytes.dropFirst(4) {
      guard ByteClass.isDigit(byte) else { return nil }
      value += Int(byte &- 0x30) * unit
      unit /= 10
    }
    return value <= 1000 ? value : nil
  }

  private static func trimmed(_ text: Substring) -> String {
    var view = text
    while let first = view.first, first == " " || first == "\t" { view.removeFirst() }
    while let last = view.last, last == " " || last == "\t" { view.removeLast() }
    return String(view)
  }

  /// Whether a value without weights takes gzip, read without making strings; nil where there is a weight or too much of it.
  ///
  /// Without weights every coding named is as welcome as any other, and the plain form is never refused.
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
