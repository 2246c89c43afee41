/// The regular expressions of JSON Schema, which are those of ECMA-262, in the syntax of PCRE2.
///
/// Rewrites forms with different meanings in the two: `\s`, `\S`, `.` and the long names of `\p`. PCRE2's options cover the rest.
/// Forms that ECMA-262 lacks, such as `\A` and `(?i)`, keep their meaning in PCRE2, because documents use them.
enum ECMAPattern {
  /// White space and line ends (ECMA-262, CharacterClassEscape) as members of a class.
  private static let space = #"\x09-\x0d\x20\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"#
  /// The values of General_Category that PCRE2 supports by their short names only.
  private static let categories = [
    "Letter": "L", "Cased_Letter": "L&", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt",
    "Modifier_Letter": "Lm", "Other_Letter": "Lo", "Mark": "M", "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc",
    "Enclosing_Mark": "Me", "Number": "N", "Decimal_Number": "Nd", "digit": "Nd", "Letter_Number": "Nl", "Other_Number": "No",
    "Punctuation": "P", "punct": "P", "Connector_Punctuation": "Pc", "Dash_Punctuation": "Pd", "Open_Punctuation": "Ps",
    "Close_Punctuation": "Pe", "Initial_Punctuation": "Pi", "Final_Punctuation": "Pf", "Other_Punctuation": "Po",
    "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc", "Modifier_Symbol": "Sk", "Other_Symbol": "So",
    "Separator": "Z", "Space_Separator": "Zs", "Line_Separator": "Zl", "Paragraph_Separator": "Zp", "Other": "C",
    "Control": "Cc", "cntrl": "Cc", "Format": "Cf", "Surrogate": "Cs", "Private_Use": "Co", "Unassigned": "Cn",
  ]

  /// The pattern as PCRE2 reads it.
  static func translated(_ pattern: String) -> String {
    var result = ""
    var rest = pattern.unicodeScalars[...]
    var isInClass = false
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\\": appendEscape(from: &rest, isInClass: isInClass, to: &result)
      case "[" where isInClass: result += "\\["
      case "[":
        isInClass = true
        result += "["
        if rest.first == "^" {
          rest.removeFirst()
          result += "^"
        }
      case "]":
        isInClass = false
        result += "]"
      case "." where !isInClass: result += #"[^\n\r\u2028\u2029]"#
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func appendEscape(
    from rest: inout Substring.UnicodeScalarView, isInClass: Bool, to result: inout String
  ) {
    switch rest.popFirst() {
    case "s": result += isInClass ? space : "[\(space)]"
    case "S" where !isInClass: result += "[^\(space)]"
    case let letter? where letter == "p" || letter == "P":
      result += "\\\(letter)"
      if rest.first == "{", let end = rest.firstIndex(of: "}") {
        result += "{\(property(String(rest[rest.index(after: rest.startIndex)..<end])))}"
        rest = rest[rest.index(after: end)...]
      }
    case let escaped?: result += "\\\(escaped)"
    case nil: result += "\\"
    }
  }

  /// The name of a Unicode property as PCRE2 writes it.
  private static func property(_ name: String) -> String {
    let sides = name.split(separator: "=", maxSplits: 1).map(String.init)
    guard sides.count == 2 else { return categories[name] ?? name }
    switch sides[0] {
    case "General_Category", "gc": return categories[sides[1]] ?? sides[1]
    case "Script", "sc": return "sc:\(sides[1])"
    case "Script_Extensions", "scx": return "scx:\(sides[1])"
    default: return name
    }
  }
}
