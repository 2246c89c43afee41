import HTTPTypes
import Wire

/// Decides the response to a GET or HEAD of a file: which content coding, which ranges, or only that it has not changed.
struct FileNegotiation: Sendable {
  private let method: HTTPRequest.Method
  private let fields: HTTPFields
  private let now: Int64
  private let codings: AcceptEncoding

  /// Reads the request's fields; `now` is in seconds since 1970.
  init(_ request: Request, now: Int64) {
    method = request.method
    fields = request.headers
    self.now = now
    codings = AcceptEncoding(request.headers[.acceptEncoding])
  }

  /// The requested ranges, or that none can be satisfied; nil if the request is for the whole file (RFC 9110 §14.2).
  func parts(of file: StaticFile) -> ByteRangeSet.Selection? {
    guard method == .get, let value = fields[.range], codings.weight(of: "identity") > 0,
      let ranges = ByteRangeSet(value), file.plain.validators.permitsRange(fields, now: now)
    else { return nil }
    let selection = ranges.selection(of: file.identity.size)
    return selection == .whole ? nil : selection
  }

  /// The content coding to send (RFC 9110 §12.5.3); nil if none is acceptable.
  func variant(of file: StaticFile) -> StaticFile.Variant? {
    if let gzip = file.gzip, codings.prefersGzip { return gzip }
    if codings.weight(of: "identity") > 0 { return file.plain }
    return codings.weight(of: "gzip") > 0 ? file.gzip : nil
  }

  /// 304 or 412 if the request's conditions require it.
  func conditional(_ variant: StaticFile.Variant) -> Response? {
    switch variant.validators.verdict(method, fields, now: now) {
    case .proceed: nil
    case .notModified: Response(variant.notModified)
    case .failed: .text("412 Precondition Failed\n", status: .preconditionFailed)
    }
  }
}
