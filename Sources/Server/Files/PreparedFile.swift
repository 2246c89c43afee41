import HTTPTypes
import Wire

/// The prepared responses of one file, and the choice among them for simple requests; ``FileNegotiation`` handles all others.
final class PreparedFile: Sendable {
  private struct Variant: Sendable {
    let whole: PreparedResponse
    let notModified: PreparedResponse
    let tag: [UInt8]

    init?(_ variant: StaticFile.Variant) {
      guard let whole = variant.whole else { return nil }
      self.whole = whole
      notModified = variant.notModified
      tag = Array((variant.validators.tag?.text ?? "").utf8)
    }
  }

  /// The fields of a request that determine the choice.
  private struct Conditions {
    var acceptEncoding: Int?
    var ifNoneMatch: Int?
    var ifModifiedSince: Int?

    /// Nil for requests with ranges, preconditions or repeated fields.
    init?(_ view: borrowing RequestView) {
      for index in 0..<view.fieldCount {
        switch view.name(index).count {
        case 5 where view.isName(index, "range"): return nil
        case 8 where view.isName(index, "if-match") || view.isName(index, "if-range"): return nil
        case 19 where view.isName(index, "if-unmodified-since"): return nil
        case 15 where view.isName(index, "accept-encoding"):
          guard acceptEncoding == nil else { return nil }
          acceptEncoding = index
        case 13 where view.isName(index, "if-none-match"):
          guard ifNoneMatch == nil else { return nil }
          ifNoneMatch = index
        case 17 where view.isName(index, "if-modified-since"):
          guard ifModifiedSince == nil else { return nil }
          ifModifiedSince = index
        default: break
        }
      }
    }
  }

  private let plain: Variant
  private let gzip: Variant?
  private let modified: [UInt8]

  /// Prepares the responses of a file in memory; nil for a file on disk.
  init?(_ file: StaticFile) {
    guard let plain = Variant(file.plain) else { return nil }
    self.plain = plain
    gzip = file.gzip.flatMap { Variant($0) }
    modified = Array((file.plain.fields[.lastModified] ?? "").utf8)
  }

  /// The response; nil if the request needs more than comparisons.
  func answer(to view: borrowing RequestView) -> PreparedResponse? {
    guard let conditions = Conditions(view) else { return nil }
    var variant = plain
    if let index = conditions.acceptEncoding {
      guard let acceptsGzip = AcceptEncoding.acceptsGzip(unweighted: view.value(index)) else { return nil }
      if acceptsGzip, let gzip { variant = gzip }
    }
    if let index = conditions.ifNoneMatch {
      return Self.isTag(view.value(index), variant.tag) ? variant.notModified : nil
    }
    if let index = conditions.ifModifiedSince {
      return view.value(index).elementsEqual(modified) ? variant.notModified : nil
    }
    return variant.whole
  }

  /// Whether the value is this single tag, strong or weak, by weak comparison (RFC 9110 §13.1.2).
  private static func isTag(_ value: UnsafeBufferPointer<UInt8>, _ tag: [UInt8]) -> Bool {
    guard !tag.isEmpty else { return false }
    if value.count == tag.count + 2, value[0] == 0x57, value[1] == 0x2F { return value.dropFirst(2).elementsEqual(tag) }
    return value.elementsEqual(tag)
  }
}
