/// Texts of a document for lines that people read.
enum DocumentText {
  /// The start of a text, without control characters and line ends; the limit counts Unicode scalars.
  static func line(_ text: String, limit: Int) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(limit).filter {
          switch $0.properties.generalCategory {
          case .control, .lineSeparator, .paragraphSeparator: false
          default: true
          }
        }))
  }
}
