import Text

/// Redacts the path of a request or of a URL: known secrets anywhere, and segments that are random or follow a telling one.
struct PathRedaction {
  let scan: SecretScan
  let context: MaskContext

  /// Masks secrets found in the whole path, then segments one by one, so that the endpoint stays readable.
  func redact(_ path: String) -> MaskedText {
    // A secret may contain slashes, and its telling word may be in another segment. Long Base64 is the exception, because a path has
    // the same characters.
    let bytes = Array(path.utf8)
    let spans =
      scan.isPlain(path.utf8.span, context: context)
      ? [] : scan.spans(in: bytes, context: context, shapes: .all.subtracting([.base64, .link]))
    // Masked text, and the origin of each of its bytes.
    var text: [UInt8] = []
    var masked = MaskedText(text: "")
    var shifts: [(from: Int, by: Int)] = [(0, 0)]
    var cursor = 0
    for span in spans {
      text += bytes[cursor..<span.range.lowerBound]
      text += scan.tag(for: span.value, kind: span.kind).utf8
      masked.counts[span.kind, default: 0] += 1
      cursor = span.range.upperBound
      shifts.append((text.count, cursor - text.count))
    }
    text += bytes[cursor...]
    var long = Self.longBase64(in: bytes)[...]
    var shift = shifts[...]
    var before = SecretPathSegments()
    var start = 0
    for (index, segment) in text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).enumerated() {
      if index > 0 { masked.text += "/" }
      func source(of place: Int) -> Int {
        while let next = shift.dropFirst().first, next.from <= place { shift.removeFirst() }
        return place + (shift.first?.by ?? 0)
      }
      let first = source(of: start)
      let range = first..<max(first, source(of: start + segment.count))
      start += segment.count + 1
      long = long.drop { $0.upperBound <= range.lowerBound }
      masked.add(self.segment(segment, after: before, isInBase64: long.first?.overlaps(range) ?? false))
      before.pass(segment)
    }
    return masked
  }

  /// The ranges of long Base64 in a path or its decoded form.
  private static func longBase64(in path: [UInt8]) -> [Range<Int>] {
    let text = SecretShapes.longBase64(in: path).map(\.range)
    guard let view = DecodedView(path).percentDecoded() else { return text }
    return (text + SecretShapes.longBase64(in: view.bytes).map { view.source(of: $0.range) }).sorted {
      $0.lowerBound < $1.lowerBound
    }
  }

  private func segment(_ segment: ArraySlice<UInt8>, after before: SecretPathSegments, isInBase64: Bool) -> MaskedText {
    // Parameters of the segment (RFC 3986 §3.3), such as `;jsessionid=`.
    let pieces = segment.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    var masked = name(pieces[0], after: before, isInBase64: isInBase64)
    for parameter in pieces.dropFirst() {
      masked.text += ";"
      let text = String(decoding: parameter, as: UTF8.self)
      masked.add(
        SecretPathSegments.parts(of: parameter).contains(where: \.isTag)
          ? MaskedText(text: text) : QueryRedaction(scan: scan, context: context).redact(text))
    }
    return masked
  }

  /// A segment without its parameters.
  private func name(_ segment: ArraySlice<UInt8>, after before: SecretPathSegments, isInBase64: Bool) -> MaskedText {
    let isSecret =
      SecretPathSegments.parts(of: segment).contains { !$0.isTag && RandomText.occurs(in: Array($0.bytes)) }
      || before.isSecret(segment, isInBase64: isInBase64)
    let text = String(decoding: segment, as: UTF8.self)
    if !isSecret, let kind = scan.kind(ofWhole: PercentCoding.decodeLeniently(text)) {
      return QueryRedaction(scan: scan, context: context).whole(PercentCoding.decodeLeniently(text), kind: kind)
    }
    return isSecret
      ? QueryRedaction(scan: scan, context: context).whole(text, kind: .token)
      : scan.mask(text, context: context, shapes: .base64)
  }
}
