import Text

/// Character classes of the HTTP grammar as bit masks: a test is a shift, without loading a table.
package enum ByteClass {
  /// `pchar` and `/` (RFC 3986 §3.3), and `[`, `]`, `|`, which browsers do not encode.
  @inline(__always)
  package static func isPath(_ byte: UInt8) -> Bool {
    ASCII.contains(byte, 0x2FFF_FFD2_0000_0000, 0x57FF_FFFE_AFFF_FFFF)
  }

  /// `query` (RFC 3986 §3.4), and the visible characters that the URL standard does not encode in it.
  @inline(__always)
  package static func isQuery(_ byte: UInt8) -> Bool {
    ASCII.contains(byte, 0xAFFF_FFD2_0000_0000, 0x7FFF_FFFF_FFFF_FFFF)
  }

  /// `reg-name` (RFC 3986 §3.2.2), with escapes taken literally.
  @inline(__always)
  package static func isRegisteredName(_ byte: UInt8) -> Bool {
    ASCII.contains(byte, 0x2BFF_7FF2_0000_0000, 0x47FF_FFFE_87FF_FFFE)
  }

  /// The characters between the brackets of an IPv6 literal (RFC 3986 §3.2.2).
  @inline(__always)
  package static func isIPv6Literal(_ byte: UInt8) -> Bool {
    ASCII.contains(byte, 0x07FF_4000_0000_0000, 0x0000_007E_0000_007E)
  }

  /// `etagc` (RFC 9110 §8.8.3) without `obs-text`.
  @inline(__always)
  package static func isEntityTag(_ byte: UInt8) -> Bool {
    ASCII.contains(byte, 0xFFFF_FFFA_0000_0000, 0x7FFF_FFFF_FFFF_FFFF)
  }

  /// `field-vchar`, space and tab (RFC 9110 §5.5): every byte except control characters and DEL.
  @inline(__always)
  package static func isFieldValue(_ byte: UInt8) -> Bool {
    byte >= 0x20 ? byte != 0x7F : byte == 0x09
  }

  /// Space or tab.
  @inline(__always)
  package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
