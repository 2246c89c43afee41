extension StringProtocol {
  /// The text with a replacement for each control character and each that breaks lines or changes the direction of the text around it, so
  /// that it cannot add lines to a terminal or move its cursor.
  package func printable(replacement: Unicode.Scalar = " ", keeping kept: Unicode.Scalar? = nil) -> String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0 != kept && $0.isControl ? replacement : $0 }))
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
}
