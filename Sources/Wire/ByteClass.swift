/// Character classes of the HTTP grammar as bit masks: a test is a shift, without loading a table.
package enum ByteClass {
  /// `tchar` (RFC 9110 §5.6.2): the characters of methods, field names and codings.
  @inline(__always)
  package static func isToken(_ byte: UInt8) -> Bool {
    contains(byte, 0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)
  }

  /// `pchar` and `/` (RFC 3986 §3.3), and `[`, `]`, `|`, which browsers do not encode.
  @inline(__always)
  package static func isPath(_ byte: UInt8) -> Bool {
    contains(byte, 0x2FFF_FFD2_0000_0000, 0x57FF_FFFE_AFFF_FFFF)
  }

  /// `query` (RFC 3986 §3.4), and the visible characters that the URL standard does not encode in it.
  @inline(__always)
  package static func isQuery(_ byte: UInt8) -> Bool {
    contains(byte, 0xAFFF_FFD2_0000_0000, 0x7FFF_FFFF_FFFF_FFFF)
  }

  /// `reg-name` (RFC 3986 §3.2.2), with escapes taken literally.
  @inline(__always)
  package static func isRegisteredName(_ byte: UInt8) -> Bool {
    contains(byte, 0x2BFF_7FF2_0000_0000, 0x47FF_FFFE_87FF_FFFE)
  }

  /// The characters between the brackets of an IPv6 literal (RFC 3986 §3.2.2).
  @inline(__always)
  package static func isIPv6Literal(_ byte: UInt8) -> Bool {
    contains(byte, 0x07FF_4000_0000_0000, 0x0000_007E_0000_007E)
  }

  /// `etagc` (RFC 9110 §8.8.3) without `obs-text`.
  @inline(__always)
  package static func isEntityTag(_ byte: UInt8) -> Bool {
    contains(byte, 0xFFFF_FFFA_0000_0000, 0x7FFF_FFFF_FFFF_FFFF)
  }

  /// `field-vchar`, space and tab (RFC 9110 §5.5): every byte except control characters and DEL.
  @inline(__always)
  package static func isFieldValue(_ byte: UInt8) -> Bool {
    byte >= 0x20 ? byte != 0x7F : byte == 0x09
  }

  /// Space or tab.
  @inline(__always)
  package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// The byte with `A` to `Z` in lower case.
  @inline(__always)
  package static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  @inline(__always)
  private static func contains(_ byte: UInt8, _ low: UInt64, _ high: UInt64) -> Bool {
    byte < 128 && ((byte < 64 ? low &>> UInt64(byte) : high &>> UInt64(byte &- 64)) & 1) == 1
  }
}
