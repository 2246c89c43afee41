/// A GET or HEAD as offsets, for a responder that has its answer ready: nothing is made of it.
///
/// It cannot be copied and is lent for one call only, since the bytes belong to a buffer that the next read overwrites.
package struct RequestView: ~Copyable {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let base: Int
  private let line: RequestLine
  private let fields: UnsafeBufferPointer<FieldLine>

  /// What the head says about itself.
  package let summary: HeadSummary

  init(
    bytes: UnsafeBufferPointer<UInt8>, base: Int, line: RequestLine, fields: UnsafeBufferPointer<FieldLine>, summary: HeadSummary
  ) {
    (self.bytes, self.base, self.line, self.fields, self.summary) = (bytes, base, line, fields, summary)
  }

  /// The path as on the wire, still percent-encoded; valid during the call that the view was lent for.
  package var path: UnsafeBufferPointer<UInt8> { part(line.path) }

  /// Whether there is a query, empty or not.
  package var hasQuery: Bool { line.query != nil }

  /// How many field lines there are.
  package var fieldCount: Int { fields.count }

  /// The name of a field line as on the wire, in any case.
  package func name(_ index: Int) -> UnsafeBufferPointer<UInt8> { part(fields[index].name) }

  /// The value of a field line without the blanks around it.
  package func value(_ index: Int) -> UnsafeBufferPointer<UInt8> { part(fields[index].value) }

  /// Whether the path is this text, byte for byte.
  package func isPath(_ text: StaticString) -> Bool { Self.equals(path, text, ignoringCase: false) }

  /// Whether a field line's name is this text, which is in lower case.
  package func isName(_ index: Int, _ text: StaticString) -> Bool { Self.equals(name(index), text, ignoringCase: true) }

  private func part(_ span: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[(base + span.lowerBound)..<(base + span.upperBound)])
  }

  private static func equals(_ bytes: UnsafeBufferPointer<UInt8>, _ text: StaticString, ignoringCase: Bool) -> Bool {
    RequestLine.matches(bytes.span, 0, bytes.count, text, ignoringCase: ignoringCase)
  }
}
