import OpenAPI
import Text

/// The name of a device, a fault rule or a workspace: 1 to 60 visible characters.
enum DisplayName {
  /// The schema's limit on its length.
  static let refinement = Refinement.length(1...60)

  /// The name without the white space around it; throws `invalid_request` if nothing is left or a character is not visible.
  ///
  /// - Parameter text: Text that the schema has accepted, which limits the length.
  static func checked(_ text: String) throws(Problem) -> String {
    let name = text.trimmingWhitespace
    guard !name.isEmpty, name.unicodeScalars.allSatisfy(isVisible) else {
      throw .invalidRequest("A name has 1 to 60 visible characters.", field: "name")
    }
    return name
  }

  /// Whether a character of a name is visible: no control character, and none that turns or hides its neighbors.
  static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
