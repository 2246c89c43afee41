/// Finds bytes that end a run of others, eight at a time.
package enum ByteScan {
  /// The place of the first byte at or after `start` that is not ASCII, a control character, a quotation mark or a backslash; the end if
  /// there is none.
  @inlinable package static func plainEnd(of bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    first(in: bytes, from: start) { word in
      word | (word &- ones &* 0x20) & ~word | zeros(word ^ ones &* 0x22) | zeros(word ^ ones &* 0x5C)
    }
  }

  /// The place of the first quotation mark, backslash or line feed at or after `start`; the end if there is none.
  @inlinable package static func textEnd(of bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    first(in: bytes, from: start) { word in
      zeros(word ^ ones &* 0x22) | zeros(word ^ ones &* 0x5C) | zeros(word ^ ones &* 0x0A)
    }
  }

  /// A one in each byte.
  @inlinable @inline(__always)
  package static var ones: UInt64 { 0x0101_0101_0101_0101 }

  /// The high bit of the lowest zero byte, and perhaps of others above it.
  @inlinable @inline(__always)
  package static func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }

  /// The place of the first byte whose high bit `marks` sets; of the bits above it, any may be set.
  @inlinable @inline(__always)
  package static func first(in bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ marks: (UInt64) -> UInt64) -> Int {
    let highs: UInt64 = 0x8080_8080_8080_8080
    guard let base = UnsafeRawPointer(bytes.baseAddress) else { return start }
    var place = start
    while place &+ 8 <= bytes.count {
      // The lowest byte of the word is the first one.
      let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      let found = marks(word) & highs
      if found != 0 { return place &+ found.trailingZeroBitCount / 8 }
      place &+= 8
    }
    while place < bytes.count {
      if marks(UInt64(bytes[place])) & 0x80 != 0 { return place }
      place &+= 1
    }
    return place
  }
}
