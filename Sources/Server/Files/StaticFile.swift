import HTTPTypes
import Text
import Wire

/// One version of a file in all its content codings.
struct StaticFile: Sendable {
  /// One content coding of the file, with its response fields.
  struct Variant: Sendable {
    /// The bytes in memory; nil if they stay on disk.
    let bytes: [UInt8]?
    let validators: Validators
    let fields: HTTPFields
    /// The response with the whole content; nil if the bytes stay on disk.
    let whole: PreparedResponse?
    let notModified: PreparedResponse

    /// Prepares the answers; `notModifiedFields` are those that a 304 repeats (RFC 9110 §15.4.5).
    init(bytes: [UInt8]?, validators: Validators, fields: HTTPFields, notModifiedFields: HTTPFields) {
      (self.bytes, self.validators, self.fields) = (bytes, validators, fields)
      whole = bytes.map { PreparedResponse(Response(status: .ok, headers: fields, body: .bytes($0))) }
      notModified = PreparedResponse(Response(status: .notModified, headers: notModifiedFields))
    }
  }

  /// Properties of a file apart from its content.
  struct Metadata: Sendable {
    /// The relative path.
    var path: String
    /// The version that was read.
    var identity: FileRoot.Identity
    /// The common prefix of its entity tags.
    var stem: String
    /// The value of `Cache-Control`.
    var cacheControl: String
    /// When it was read, in seconds since 1970.
    var readAt: Int64
    /// Whether another version with the same modification second was served before.
    var sharesSecond: Bool
  }

  /// The version that was read.
  let identity: FileRoot.Identity
  /// The common prefix of its entity tags; every version has another.
  let stem: String
  /// Whether another version with the same modification second was served before.
  let sharesSecond: Bool
  /// The media type.
  let type: String
  /// The content as stored on disk.
  let plain: Variant
  /// The compressed content, if it is at least 5 % smaller.
  let gzip: Variant?

  /// Prepares the codings of a file; `bytes` is nil if the content stays on disk.
  init(_ metadata: Metadata, bytes: [UInt8]?) {
    let type = FileMediaType.forFile(named: metadata.path)
    let compressed = bytes.flatMap { Self.compressed($0, type) }
    // `Last-Modified` must not be later than `Date` (RFC 9110 §8.8.2.1).
    let modified = min(metadata.identity.modifiedSeconds, metadata.readAt)
    let isStrong = modified < metadata.readAt && !metadata.sharesSecond
    func variant(_ bytes: [UInt8]?, coding: String?) -> Variant {
      let tag = EntityTag(opaque: metadata.stem + (coding == nil ? "" : "-gz"))
      var shared: HTTPFields = [.eTag: tag.text]
      shared[.cacheControl] = metadata.cacheControl.isEmpty ? nil : metadata.cacheControl
      shared[.lastModified] = HTTPDate.format(modified)
      if compressed != nil { shared[.vary] = "Accept-Encoding" }
      var fields = shared
      fields[.contentType] = type
      fields[.contentEncoding] = coding
      // Ranges refer to the uncompressed content, so only its responses offer them.
      if coding == nil { fields[.acceptRanges] = "bytes" }
      let validators = Validators(tag: tag, modified: modified, isModifiedStrong: isStrong)
      return Variant(bytes: bytes, validators: validators, fields: fields, notModifiedFields: shared)
    }
    (identity, stem, sharesSecond, self.type) = (metadata.identity, metadata.stem, metadata.sharesSecond, type)
    plain = variant(bytes, coding: nil)
    gzip = compressed.map { variant($0, coding: "gzip") }
  }

  private static func compressed(_ bytes: [UInt8], _ type: String) -> [UInt8]? {
    guard bytes.count >= 64, FileMediaType.isCompressible(type) else { return nil }
    // The best level takes too long for the event loop if the file is large.
    let packed = Gzip.compress(bytes, level: bytes.count <= 262_144 ? 9 : 6)
    return packed.flatMap { $0.count <= bytes.count - bytes.count / 20 ? $0 : nil }
  }

  /// Whether the next version cannot be distinguished from this or an earlier one by its modification second.
  func sharesSecond(_ next: FileRoot.Identity, _ nextStem: String) -> Bool {
    identity.modifiedSeconds == next.modifiedSeconds && (sharesSecond || stem != nextStem)
  }

  /// Size, modification time and hash of the content; the inode number if the content stays on disk.
  static func stem(_ identity: FileRoot.Identity, _ bytes: [UInt8]?) -> String {
    let modified = identity.modifiedSeconds &* 1_000_000_000 &+ identity.modifiedNanoseconds
    return [UInt64(identity.size), UInt64(bitPattern: modified), bytes.map(FNV1a.hash) ?? identity.inode]
      .map { String($0, radix: 16) }.joined(separator: "-")
  }
}
