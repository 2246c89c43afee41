import HTTPTypes
import Wire

/// One file in memory, in every coding it is served in.
struct StaticFile: Sendable {
  /// One coding of the file, with the fields of its answers ready.
  struct Variant: Sendable {
    let bytes: [UInt8]
    let tag: EntityTag
    let fields: HTTPFields
    /// The fields that a 304 repeats (RFC 9110 §15.4.5).
    let notModifiedFields: HTTPFields
  }

  /// The state that was read.
  let identity: FileRoot.Identity
  /// The bytes as they lie on the disk.
  let plain: Variant
  /// The compressed form, where it is at least 5 % smaller.
  let gzip: Variant?

  /// Prepares the codings of a file that was read.
  init(name: String, identity: FileRoot.Identity, bytes: [UInt8]) {
    self.identity = identity
    let type = MediaType.forFile(named: name)
    let modified = identity.modifiedSeconds * 1_000_000_000 &+ identity.modifiedNanoseconds
    let stem = [UInt64(bytes.count), UInt64(bitPattern: modified), Self.hash(bytes)].map { String($0, radix: 16) }
      .joined(separator: "-")
    let compressed = MediaType.isCompressible(type) ? Gzip.compress(bytes, level: 9) : nil
    let isWorth = compressed.map { $0.count <= bytes.count - bytes.count / 20 && bytes.count >= 64 } ?? false
    func variant(_ bytes: [UInt8], _ suffix: String) -> Variant {
      let tag = EntityTag(opaque: stem + suffix)
      var shared: HTTPFields = [.eTag: tag.text, .cacheControl: "no-cache"]
      shared[.lastModified] = HTTPDate.format(identity.modifiedSeconds)
      if isWorth { shared[.vary] = "Accept-Encoding" }
      var fields = shared
      fields[.contentType] = type
      if !suffix.isEmpty { fields[.contentEncoding] = "gzip" }
      return Variant(bytes: bytes, tag: tag, fields: fields, notModifiedFields: shared)
    }
    plain = variant(bytes, "")
    gzip = isWorth ? compressed.map { variant($0, "-gz") } : nil
  }

  /// FNV-1a, 64 bits: with size and time it tells contents apart; it does not defend against anybody.
  private static func hash(_ bytes: [UInt8]) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return hash
  }
}
