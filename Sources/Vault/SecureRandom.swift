import COpenSSL
import Text

/// Random values from OpenSSL's generator, which the kernel seeds.
package enum SecureRandom {
  /// `count` random bytes; terminates the process if there are none, because tokens would be guessable.
  package static func bytes(_ count: Int) -> [UInt8] {
    guard count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let answer = RAND_bytes(buffer.baseAddress, Int32(clamping: count))
      precondition(answer == 1 && count <= Int(Int32.max), "no random bytes")
      filled = count
    }
  }

  /// `count` decimal digits, each string of that length equally likely, including those with leading zeros.
  package static func digits(_ count: Int) -> String {
    var pool: [UInt8] = []
    return digits(count) {
      if pool.isEmpty { pool = bytes(max(16, count)) }
      return pool.removeLast()
    }
  }

  /// Maps bytes to digits; rejects bytes from 250, which would make 0 to 5 more likely.
  static func digits(_ count: Int, from nextByte: () -> UInt8) -> String {
    var text = ""
    while text.utf8.count < count {
      let byte = nextByte()
      guard byte < 250 else { continue }
      text.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: "0") + byte % 10))
    }
    return text
  }

  /// A version 4 UUID in lower case (RFC 9562 §5.4).
  package static func uuid() -> String {
    var bytes = bytes(16)
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    return String(unsafeUninitializedCapacity: 36) { text in
      var place = 0
      for (index, byte) in bytes.enumerated() {
        if index == 4 || index == 6 || index == 8 || index == 10 {
          text[place] = UInt8(ascii: "-")
          place += 1
        }
        text[place] = Hex.digit(byte >> 4)
        text[place + 1] = Hex.digit(byte & 15)
        place += 2
      }
      return place
    }
  }
}
