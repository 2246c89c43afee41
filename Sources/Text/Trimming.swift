extension StringProtocol {
  /// The text without the spaces and tabs around it (RFC 9110 §5.6.3).
  package var trimmingBlanks: SubSequence { trimming { $0 == " " || $0 == "\t" } }

  /// The text without the white space of any script around it.
  package var trimmingWhitespace: String { String(trimming(where: \.isWhitespace)) }

  private func trimming(where isLeftOut: (Character) -> Bool) -> SubSequence {
    let kept = drop(while: isLeftOut)
    return kept.lastIndex { !isLeftOut($0) }.map { kept[...$0] } ?? kept.prefix(0)
  }
}
