import HTTPTypes
import Wire

/// Any split of the bytes gives the same requests and the same result, and accepted requests are safe to process.
enum RequestParserFuzzer {
  /// Limits that short inputs reach.
  static let tightLimits: RequestLimits = {
    var limits = RequestLimits()
    (limits.requestLine, limits.head, limits.fields) = (40, 160, 4)
    (limits.chunkLine, limits.chunkExtensions, limits.trailers, limits.trailerFields) = (12, 20, 30, 2)
    return limits
  }()

  /// Takes one input.
  static func run(_ bytes: [UInt8]) {
    for limits in [RequestLimits(), tightLimits] {
      let whole = ParserTrace(bytes, pieces: [bytes.count], dropping: false, limits: limits)
      for pieces in Splits.all(bytes) {
        let pieced = ParserTrace(bytes, pieces: pieces, dropping: true, limits: limits)
        require(pieced == whole, "pieces \(pieces.prefix(20)) give \(pieced), all at once gives \(whole)")
      }
      for request in whole.requests { check(request) }
      scan(bytes, limits, whole)
    }
  }

  /// A scan without strings finds the same heads, up to the first with a body, and refuses for the same reason.
  private static func scan(_ bytes: [UInt8], _ limits: RequestLimits, _ whole: ParserTrace) {
    var parser = RequestParser(limits: limits)
    var position = 0
    bytes.withUnsafeBufferPointer { bytes in
      for request in whole.requests {
        do throws(RequestError) {
          guard let summary = try parser.scan(bytes, at: &position) else { return require(false, "no \(request.head) in a scan") }
          require(try parser.head(in: bytes, summary) == request.head, "a scan finds another head than \(request.head)")
          guard summary.framing == .none else { return }
        } catch {
          return require(false, "a scan refuses \(request.head) by \(error)")
        }
      }
      do throws(RequestError) {
        require(try parser.scan(bytes, at: &position) == nil && whole.refusal == nil, "a scan goes on where \(whole) ends")
      } catch {
        require(error == whole.refusal, "a scan refuses by \(error), not \(String(describing: whole.refusal))")
      }
    }
  }

  /// The properties of every accepted request.
  static func check(_ request: ParserTrace.Exchange) {
    let head = request.head
    let hosts = head.fields[values: .host].count
    require(hosts == 1 || (hosts == 0 && head.version == .http10), "\(hosts) hosts")
    require(head.path == "*" || head.path.utf8.first == 0x2F, "path \(head.path)")
    for byte in (head.path + (head.query ?? "")).utf8 { require(byte > 0x20 && byte < 0x7F, "byte \(byte) in the target") }
    for field in head.fields {
      for byte in field.value.utf8 { require(byte == 9 || (byte >= 0x20 && byte != 0x7F), "byte \(byte) in \(field.name)") }
    }
    let lengths = head.fields[values: .contentLength]
    let codings = head.fields[values: .transferEncoding]
    require(lengths.isEmpty || codings.isEmpty, "both framings")
    require(lengths.count < 2 && codings.count < 2, "framing repeated")
    switch head.framing {
    case .none: require(request.body.isEmpty && codings.isEmpty, "a body without framing")
    case .chunked: require(codings.first?.lowercased() == "chunked" && head.version == .http11, "codings \(codings)")
    case .length(let count):
      require(lengths.first.flatMap { UInt64($0) } == count, "length \(count) of \(lengths)")
      require(request.isWhole ? UInt64(request.body.count) == count : UInt64(request.body.count) <= count, "body's length")
    }
  }
}
