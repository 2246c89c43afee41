extension StringProtocol {
  /// The text without what a paste brings along and nobody sees: marks of direction, joiners, soft hyphens and byte order marks.
  package var withoutInvisibleMarks: String {
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: unicodeScalars.lazy.filter { !$0.isInvisibleMark })
    return String(scalars)
  }

  /// The text with the full-width forms of East Asian keyboards as ASCII.
  package var withoutFullWidthForms: String {
    var scalars = String.UnicodeScalarView()
    scalars.append(
      contentsOf: unicodeScalars.lazy.map { (0xFF01...0xFF5E).contains($0.value) ? Unicode.Scalar($0.value - 0xFEE0) ?? $0 : $0 })
    return String(scalars)
  }
}

extension StringProtocol {
  /// The text as it can be shown within others on a terminal: with blanks in the place of control characters, and of those that break
  /// lines or change the direction of the text around them.
  package var withoutControls: String {
    String(String.UnicodeScalarView(unicodeScalars.map { $0.isControl ? " " : $0 }))
  }
}

extension Unicode.Scalar {
  /// Whether it is a control character, a line or paragraph separator, or a control of direction (Unicode UAX #9 §2).
  package var isControl: Bool {
    switch value {
    case 0x61C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
    default: properties.generalCategory == .control
    }
  }

  fileprivate var isInvisibleMark: Bool {
    switch value {
    case 0xAD, 0x61C, 0x180E, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x2064, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }

  /// The value of a decimal digit of any script; nil for other characters, such as superscripts.
  package var decimalValue: Int? {
    properties.numericType == .decimal ? properties.numericValue.map { Int($0) } : nil
  }
}
