/// A GET or HEAD as offsets into the read buffer, for a responder with prepared responses; creates no strings.
///
/// Noncopyable and borrowed for one call, because the next read overwrites the buffer.
package struct RequestView: ~Copyable {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let base: Int
  private let line: RequestLine
  private let fields: UnsafeBufferPointer<FieldLine>

  init(bytes: UnsafeBufferPointer<UInt8>, base: Int, line: RequestLine, fields: UnsafeBufferPointer<FieldLine>) {
    (self.bytes, self.base, self.line, self.fields) = (bytes, base, line, fields)
  }

  /// The path as sent, still percent-encoded; valid only while the view is borrowed.
  package var path: UnsafeBufferPointer<UInt8> { part(line.path) }

  /// The number of field lines.
  package var fieldCount: Int { fields.count }

  /// The name of a field line as sent, in any case.
  package func name(_ index: Int) -> UnsafeBufferPointer<UInt8> { part(fields[index].name) }

  /// The value of a field line without surrounding whitespace.
  package func value(_ index: Int) -> UnsafeBufferPointer<UInt8> { part(fields[index].value) }

  /// Whether the path equals the text, byte for byte.
  package func isPath(_ text: StaticString) -> Bool { Self.equals(path, text, ignoringCase: false) }

  /// Whether the name of a field line equals the text, which must be in lower case.
  package func isName(_ index: Int, _ text: StaticString) -> Bool { Self.equals(name(index), text, ignoringCase: true) }

  private func part(_ span: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[(base + span.lowerBound)..<(base + span.upperBound)])
  }

  private static func equals(_ bytes: UnsafeBufferPointer<UInt8>, _ text: StaticString, ignoringCase: Bool) -> Bool {
    RequestLine.matches(bytes.span, 0, bytes.count, text, ignoringCase: ignoringCase)
  }
}
