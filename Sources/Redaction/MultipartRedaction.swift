import Text

/// Redacts a multipart form (RFC 7578). Omits the content of files, whose format is unknown.
struct MultipartRedaction {
  let scan: SecretScan
  let context: MaskContext

  private static let lineEnd = Array("\r\n".utf8)
  private static let headEnd = Array("\r\n\r\n".utf8)
  private static let maximumParts = 1000

  /// The redacted form; nil if the body is not a complete multipart form, or contains invalid UTF-8 outside files.
  func redact(_ body: [UInt8]) -> MaskedText? {
    guard body.starts(with: "--".utf8), let lineEnd = Self.find(Self.lineEnd, in: body[...]), (3...72).contains(lineEnd) else {
      return nil
    }
    let boundary = Array(body[..<lineEnd])
    guard boundary.dropFirst(2).allSatisfy({ ASCII.isAlphanumeric($0) || "'()+_,-./:=? ".utf8.contains($0) }) else {
      return nil
    }
    let next = Self.lineEnd + boundary
    var masked = MaskedText(text: "")
    var rest = body[lineEnd...]
    for _ in 0..<Self.maximumParts {
      // The boundary can contain a secret like any other text.
      masked.add(scan.mask(String(decoding: boundary, as: UTF8.self), context: context, shapes: .all))
      if rest.elementsEqual("--\r\n".utf8) || rest.elementsEqual("--".utf8) {
        masked.text += "--\r\n"
        return masked
      }
      guard rest.starts(with: Self.lineEnd), let end = Self.find(next, in: rest), end >= rest.startIndex + 2,
        let part = part(rest[(rest.startIndex + 2)..<end])
      else { return nil }
      masked.text += "\r\n"
      masked.add(part)
      masked.text += "\r\n"
      rest = rest[(end + next.count)...]
    }
    return nil
  }

  /// Redacts the head and the content of one part.
  private func part(_ bytes: ArraySlice<UInt8>) -> MaskedText? {
    guard let cut = Self.find(Self.headEnd, in: bytes), let head = String(validating: bytes[..<cut], as: UTF8.self) else {
      return nil
    }
    var masked = scan.mask(head, context: context, shapes: .all)
    masked.text += "\r\n\r\n"
    let content = bytes[(cut + Self.headEnd.count)...]
    let lowercased = head.lowercased()
    if lowercased.contains("filename") {
      masked.text += "(\(content.count) bytes)"
      return masked
    }
    guard let text = String(validating: content, as: UTF8.self) else { return nil }
    let query = QueryRedaction(scan: scan, context: context)
    let verdict = Self.name(in: head).map { scan.rules.keys.verdict(ofName: $0.utf8, context: .authentication) }
    if let verdict, let kind = verdict.kind, !text.isEmpty, verdict.isCode || verdict.masks(content) {
      masked.add(query.whole(text, kind: kind))
    } else if RandomText.matches(Array(content)) {
      masked.add(query.whole(text, kind: .token))
    } else {
      masked.add(
        JSONRedaction.redact(Array(content), scan: scan, context: context) ?? scan.mask(text, context: context, shapes: .all))
    }
    return masked
  }

  /// The value of `name=` in the head of a part.
  private static func name(in head: String) -> Substring? {
    guard let start = head.firstRange(of: "name=\"") else { return nil }
    return head[start.upperBound...].prefix { $0 != "\"" }
  }

  private static func find(_ wanted: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= wanted.count else { return nil }
    for start in bytes.startIndex...(bytes.endIndex - wanted.count)
    where bytes[start] == wanted[0] && bytes[start..<(start + wanted.count)].elementsEqual(wanted) {
      return start
    }
    return nil
  }
}
