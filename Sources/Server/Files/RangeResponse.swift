import HTTPTypes
import Wire

/// Responses with ranges of a file (RFC 9110 §14, §15.3.7).
enum RangeResponse {
  /// 206 with one range, or several as `multipart/byteranges`. There must be at least one range, within the file.
  static func partial(_ file: StaticFile, _ content: FileContent, _ ranges: [Range<Int>]) -> Response {
    var fields = file.plain.fields
    guard ranges.count > 1 else {
      let range = ranges.first ?? 0..<content.count
      fields[.contentRange] = contentRange(range, content.count)
      // The whole content needs no copy.
      let body = range.count == content.count ? content.body : content.body(of: [.slice(range)])
      return Response(status: .partialContent, headers: fields, body: body)
    }
    let boundary = boundary()
    fields[.contentType] = "multipart/byteranges; boundary=\(boundary)"
    var pieces: [FileContent.Piece] = []
    for range in ranges {
      let head =
        "\(pieces.isEmpty ? "" : "\r\n")--\(boundary)\r\nContent-Type: \(file.type)\r\n"
        + "Content-Range: \(contentRange(range, content.count))\r\n\r\n"
      pieces += [.text(Array(head.utf8)), .slice(range)]
    }
    pieces.append(.text(Array("\r\n--\(boundary)--\r\n".utf8)))
    return Response(status: .partialContent, headers: fields, body: content.body(of: pieces))
  }

  /// 416 with the current length (RFC 9110 §15.5.17).
  static func unsatisfiable(_ file: StaticFile) -> Response {
    Response(
      status: .rangeNotSatisfiable,
      headers: [
        .contentType: "text/plain; charset=utf-8", .contentRange: "bytes */\(file.identity.size)", .acceptRanges: "bytes",
      ], body: .bytes(Array("416 Range Not Satisfiable\n".utf8)))
  }

  private static func contentRange(_ range: Range<Int>, _ length: Int) -> String {
    "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
  }

  /// 128 random bits, so that a collision with the content is negligible.
  private static func boundary() -> String {
    (0..<2).map { _ in
      let text = String(UInt64.random(in: .min ... .max), radix: 16)
      return String(repeating: "0", count: 16 - text.utf8.count) + text
    }.joined()
  }
}
