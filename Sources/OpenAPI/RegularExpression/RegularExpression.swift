import CPCRE2

/// A compiled regular expression of a document; see ``ECMAPattern`` for its syntax.
///
/// `@unchecked Sendable`: it owns a pattern of PCRE2, which PCRE2 does not change once it is compiled, so threads can share it
/// (pcre2api, "Multithreading"). No code here compiles a pattern just in time, which would change it.
final class RegularExpression: @unchecked Sendable {
  /// The longest pattern in bytes.
  private static let maximumLength = 4096

  let code: OpaquePointer
  /// The pattern as its document writes it.
  private let source: String
  /// The memory of the compiled pattern in bytes.
  let size: Int

  /// Compiles a pattern; nil if it is invalid or too long.
  init?(_ pattern: String) {
    guard pattern.utf8.count <= Self.maximumLength, let context = pcre2_compile_context_create_8(nil) else { return nil }
    defer { pcre2_compile_context_free_8(context) }
    pcre2_set_compile_extra_options_8(context, UInt32(PCRE2_EXTRA_ALT_BSUX))
    pcre2_set_newline_8(context, UInt32(PCRE2_NEWLINE_ANYCRLF))
    let options =
      UInt32(PCRE2_UTF) | UInt32(PCRE2_ALT_BSUX) | UInt32(PCRE2_MATCH_UNSET_BACKREF) | UInt32(PCRE2_DOLLAR_ENDONLY)
      | UInt32(PCRE2_ALLOW_EMPTY_CLASS) | UInt32(PCRE2_NEVER_BACKSLASH_C) | UInt32(PCRE2_DUPNAMES)
    var text = ECMAPattern.translated(pattern)
    var error: Int32 = 0
    var offset: Int = 0
    let code = text.withUTF8 { pcre2_compile_8($0.baseAddress, $0.count, options, &error, &offset, context) }
    guard let code else { return nil }
    self.code = code
    source = pattern
    var size = 0
    self.size = pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_SIZE), &size) == 0 ? size : 0
  }

  /// The pattern for a line of text.
  var shownSource: String { source.utf8.count <= 80 ? source : "a pattern" }

  deinit { pcre2_code_free_8(code) }
}
