extension StringProtocol {
  /// The text with a replacement for each control character, so that it cannot add lines to a terminal or move its cursor.
  package func printable(replacement: Unicode.Scalar = " ", keeping kept: Unicode.Scalar? = nil) -> String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0 != kept && $0.properties.generalCategory == .control ? replacement : $0 }))
  }
}
