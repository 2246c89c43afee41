/// Domains with letters beyond ASCII in the form that the DNS and mail servers have: each such label in Punycode behind `xn--` (RFC 5891).
package enum InternationalDomain {
  /// The domain in lower case with each label in ASCII; nil if a label has characters that no domain has (RFC 5892), or is longer than 63
  /// bytes.
  ///
  /// The full stops of East Asian keyboards separate labels too (RFC 3490 §3.1).
  package static func ascii(_ domain: String) -> String? {
    let stops: Set<Unicode.Scalar> = [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"]
    var labels: [String] = []
    for label in domain.unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: stops.contains) {
      guard let label = asciiLabel(String(label)) else { return nil }
      labels.append(label)
    }
    return labels.joined(separator: ".")
  }

  private static func asciiLabel(_ label: String) -> String? {
    let label = label.lowercased()
    guard !label.utf8.allSatisfy({ $0 < 0x80 }) else { return label }
    let scalars = composed(label)
    guard scalars.count <= 63, scalars.allSatisfy(isValid), scalars.first != "-", scalars.last != "-",
      let digits = Punycode.encode(scalars), digits.utf8.count <= 59
    else { return nil }
    return "xn--" + digits
  }

  private static func isValid(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar == "-" || ASCII.isAlphanumeric(UInt8(truncatingIfNeeded: scalar.value)) }
    switch scalar.properties.generalCategory {
    case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: return true
    default: return scalar == "\u{B7}"
    }
  }

  /// The scalars of a text with letters and their marks as one, where Unicode has such a one (NFC).
  package static func composed(_ text: String) -> [Unicode.Scalar] {
    text.flatMap { character -> [Unicode.Scalar] in
      let scalars = Array(character.unicodeScalars)
      return scalars.count == 1 ? scalars : compositions[character].map { [$0] } ?? scalars
    }
  }

  /// The letters that are composed in NFC, by what they are canonically equivalent to: Latin, Greek, Cyrillic, kana and Hangul.
  private static let compositions: [Character: Unicode.Scalar] = {
    let ranges: [ClosedRange<UInt32>] = [0xC0...0x24F, 0x370...0x52F, 0x1E00...0x1FFF, 0x304C...0x30FE, 0xAC00...0xD7A3]
    var compositions: [Character: Unicode.Scalar] = [:]
    for scalar in ranges.joined().compactMap(Unicode.Scalar.init) where scalar.properties.isAlphabetic {
      let character = Character(scalar)
      if compositions[character] == nil { compositions[character] = scalar }
    }
    return compositions
  }()
}

/// The encoding of Unicode in the letters, digits and hyphens of a label (RFC 3492).
private enum Punycode {
  private static let (base, tMin, tMax, skew, damp): (UInt32, UInt32, UInt32, UInt32, UInt32) = (36, 1, 26, 38, 700)

  /// The digits of a label with at most 63 scalars; nil if they overflow.
  static func encode(_ label: [Unicode.Scalar]) -> String? {
    var output = label.filter(\.isASCII).map { UInt8(truncatingIfNeeded: $0.value) }
    let basic = UInt32(output.count)
    if basic > 0 { output.append(UInt8(ascii: "-")) }
    var (n, delta, bias, handled): (UInt32, UInt32, UInt32, UInt32) = (128, 0, 72, basic)
    while handled < UInt32(label.count) {
      guard let next = label.lazy.map(\.value).filter({ $0 >= n }).min() else { return nil }
      let (product, overflows) = (next - n).multipliedReportingOverflow(by: handled + 1)
      let (sum, overflow) = delta.addingReportingOverflow(product)
      guard !overflows, !overflow, sum < .max - 64 else { return nil }
      (delta, n) = (sum, next)
      for scalar in label {
        if scalar.value < n { delta += 1 }
        guard scalar.value == n else { continue }
        var (q, k) = (delta, base)
        while true {
          let t = k <= bias ? tMin : k >= bias + tMax ? tMax : k - bias
          if q < t { break }
          output.append(digit(t + (q - t) % (base - t)))
          q = (q - t) / (base - t)
          k += base
        }
        output.append(digit(q))
        bias = adapted(delta, handled + 1, isFirst: handled == basic)
        (delta, handled) = (0, handled + 1)
      }
      delta += 1
      n += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func digit(_ value: UInt32) -> UInt8 {
    value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "0") + UInt8(value - 26)
  }

  private static func adapted(_ delta: UInt32, _ count: UInt32, isFirst: Bool) -> UInt32 {
    var (delta, k) = (isFirst ? delta / damp : delta / 2, UInt32(0))
    delta += delta / count
    while delta > (base - tMin) * tMax / 2 {
      delta /= base - tMin
      k += base
    }
    return k + (base - tMin + 1) * delta / (delta + skew)
  }
}
