import CPCRE2

/// Matches patterns within bounds, because both pattern and text come from a network.
///
/// The owner of PCRE2's buffer and limits for matching, which one thread at a time may use.
final class PatternMatcher {
  /// The result of a match.
  enum Outcome {
    case match, mismatch
    /// The limit was reached first.
    case unknown
  }

  private let buffer: OpaquePointer
  private let context: OpaquePointer

  init?() {
    guard let buffer = pcre2_match_data_create_8(1, nil) else { return nil }
    guard let context = pcre2_match_context_create_8(nil) else {
      pcre2_match_data_free_8(buffer)
      return nil
    }
    self.buffer = buffer
    self.context = context
    pcre2_set_depth_limit_8(context, 1000)
    pcre2_set_heap_limit_8(context, 1024)
  }

  deinit {
    pcre2_match_context_free_8(context)
    pcre2_match_data_free_8(buffer)
  }

  /// Whether the expression matches somewhere in the text, which must be UTF-8; takes at most `steps` steps from each character on.
  func match(_ expression: RegularExpression, in text: UnsafeBufferPointer<UInt8>, steps: UInt32) -> Outcome {
    pcre2_set_match_limit_8(context, steps)
    let options = UInt32(PCRE2_NO_UTF_CHECK)
    let result = pcre2_match_8(expression.code, text.baseAddress, text.count, 0, options, buffer, context)
    if result >= 0 { return .match }
    return result == PCRE2_ERROR_NOMATCH ? .mismatch : .unknown
  }
}
