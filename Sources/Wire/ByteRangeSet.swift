import Text

/// The value of `Range` with the unit `bytes` (RFC 9110 §14.1.2, §14.2).
package struct ByteRangeSet: Equatable, Sendable {
  /// One requested range; numbers beyond 64 bits are clamped.
  package enum Spec: Equatable, Sendable {
    /// From a byte on, optionally through another.
    case from(UInt64, through: UInt64?)
    /// The last bytes, by number.
    case suffix(UInt64)
  }

  /// The part of a representation to send.
  package enum Selection: Equatable, Sendable {
    /// All of it: the request is not worth serving in parts, or the representation is empty.
    case whole
    /// None of it: 416.
    case unsatisfiable
    /// At least one range in the requested order; none is empty, and no two touch.
    case parts([Range<Int>])
  }

  /// Requests with more ranges get the whole representation.
  private static let maximumCount = 16

  /// The ranges in order; at least one.
  package let specs: [Spec]

  /// Parses the field's combined value; nil for another unit or a syntax error, which means to ignore the field.
  package init?(_ value: String) {
    let bytes = Array(value.utf8)
    guard bytes.count > 6, bytes[..<5].elementsEqual("bytes".utf8, by: { ASCII.lowercased($0) == $1 }), bytes[5] == 0x3D
    else { return nil }
    var specs: [Spec] = []
    var isValid = true
    ListGrammar.forEachElement(bytes.span, 6, bytes.count) { start, end in
      guard isValid, let spec = Self.spec(bytes[start..<end]) else {
        isValid = false
        return
      }
      specs.append(spec)
    }
    guard isValid, !specs.isEmpty else { return nil }
    self.specs = specs
  }

  /// The ranges of a representation of `length` bytes, with overlapping and adjacent ones merged.
  package func selection(of length: Int) -> Selection {
    guard specs.count <= Self.maximumCount else { return .whole }
    guard length > 0 else {
      // A suffix of an empty representation is satisfiable, but `Content-Range` cannot express it.
      return specs.contains { if case .suffix(let count) = $0 { count > 0 } else { false } } ? .whole : .unsatisfiable
    }
    var total: UInt64 = 0
    var parts: [Range<Int>] = []
    for range in specs.compactMap({ Self.range($0, UInt64(length)) }) {
      let (sum, isOver) = total.addingReportingOverflow(UInt64(range.count))
      guard !isOver, sum <= 2 * UInt64(length) else { return .whole }
      total = sum
      Self.join(range, to: &parts)
    }
    return parts.isEmpty ? .unsatisfiable : .parts(parts)
  }

  private static func spec(_ bytes: ArraySlice<UInt8>) -> Spec? {
    guard let dash = bytes.firstIndex(of: 0x2D) else { return nil }
    let tail = bytes[(dash + 1)...]
    guard dash > bytes.startIndex else { return number(tail).map { .suffix($0) } }
    guard let first = number(bytes[..<dash]) else { return nil }
    if tail.isEmpty { return .from(first, through: nil) }
    guard let last = number(tail), last >= first else { return nil }
    return .from(first, through: last)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    guard !digits.isEmpty, digits.allSatisfy(ASCII.isDigit) else { return nil }
    var value: UInt64 = 0
    for digit in digits {
      let (product, isOver) = value.multipliedReportingOverflow(by: 10)
      let (sum, isOverToo) = product.addingReportingOverflow(UInt64(digit &- 0x30))
      value = isOver || isOverToo ? .max : sum
      if value == .max { break }
    }
    return value
  }

  /// The bytes of a range; nil if there are none. `length` is an `Int` above 0, so all results fit an `Int`.
  private static func range(_ spec: Spec, _ length: UInt64) -> Range<Int>? {
    switch spec {
    case .from(let first, let last):
      guard first < length else { return nil }
      return Int(first)..<Int(min(last ?? .max, length - 1) + 1)
    case .suffix(let count):
      guard count > 0 else { return nil }
      return Int(length - min(count, length))..<Int(length)
    }
  }

  private static func join(_ range: Range<Int>, to parts: inout [Range<Int>]) {
    var joined = range
    var place = parts.count
    while let index = parts.firstIndex(where: { $0.lowerBound <= joined.upperBound && joined.lowerBound <= $0.upperBound }) {
      joined = min(joined.lowerBound, parts[index].lowerBound)..<max(joined.upperBound, parts[index].upperBound)
      place = min(place, index)
      parts.remove(at: index)
    }
    parts.insert(joined, at: min(place, parts.count))
  }
}
