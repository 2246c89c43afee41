import JSON
import Text

/// Redacts a body. The format is detected from the bytes, regardless of the content type.
///
/// A body that cannot be parsed with certainty is not stored.
struct BodyRedaction {
  let scan: SecretScan
  let context: MaskContext
  /// Whether values are masked unless their names are known to be harmless; only JSON is stored then.
  var hidesValues = false

  /// The redacted body; nil if it is not JSON, lines of JSON, an event stream of JSON, a form or a multipart form.
  ///
  /// `parsed` is used in place of parsing the body, if it is of the same bytes.
  func redact(_ body: [UInt8], parsed: JSONDocument? = nil) -> MaskedText? {
    if let parsed, parsed.bytes == body {
      return JSONRedaction.redact(parsed, scan: scan, context: context, hidesValues: hidesValues)
    }
    if let masked = JSONRedaction.redact(body, scan: scan, context: context, hidesValues: hidesValues) { return masked }
    return hidesValues ? nil : lines(of: body) ?? form(body) ?? MultipartRedaction(scan: scan, context: context).redact(body)
  }

  private static let streamFields = ["event", "id", "retry"].map { Array($0.utf8) }

  /// Redacts lines of JSON objects and arrays, or the `data` of an event stream, each as a document; nil for any other line.
  private func lines(of body: [UInt8]) -> MaskedText? {
    var masked = MaskedText(text: "")
    var documents = 0
    for (index, line) in body.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
      if index > 0 { masked.text += "\n" }
      let hasReturn = line.last == 0x0d
      defer { if hasReturn { masked.text += "\r" } }
      var content = hasReturn ? line.dropLast() : line
      if content.isEmpty { continue }
      if let colon = content.firstIndex(of: UInt8(ascii: ":")), colon - content.startIndex <= 5 {
        let name = Array(content[..<colon])
        if name.isEmpty || Self.streamFields.contains(name) {
          guard Self.isText(content) else { return nil }
          masked.add(scan.mask(String(decoding: content, as: UTF8.self), context: context, shapes: .all))
          continue
        }
        if name == Array("data".utf8) {
          let start = content[(colon + 1)...].first == UInt8(ascii: " ") ? colon + 2 : colon + 1
          masked.text += String(decoding: content[..<start], as: UTF8.self)
          content = content[start...]
        }
      }
      guard content.first == UInt8(ascii: "{") || content.first == UInt8(ascii: "["),
        let document = JSONRedaction.redact(Array(content), scan: scan, context: context)
      else { return nil }
      masked.add(document)
      documents += 1
    }
    return documents > 0 ? masked : nil
  }

  /// Whether a line is UTF-8.
  private static func isText(_ line: ArraySlice<UInt8>) -> Bool { String(validating: line, as: UTF8.self) != nil }

  /// Redacts `name=value&…` (WHATWG URL, §5.1); nil for anything that its serializer does not produce, except tags.
  private func form(_ body: [UInt8]) -> MaskedText? {
    guard body.contains(UInt8(ascii: "=")) else { return nil }
    var place = 0
    while place < body.count {
      if ASCII.isAlphanumeric(body[place]) || "*-._+%&=".utf8.contains(body[place]) {
        place += 1
      } else if body[place] == 0xE2, let end = MaskTag.end(at: place, in: body) {
        place = end
      } else {
        return nil
      }
    }
    // Forms encode a space as `+`, which is an ordinary character in other texts.
    let text = String(decoding: body, as: UTF8.self).replacing("+", with: "%20")
    return QueryRedaction(scan: scan, context: context).redact(text)
  }
}
