import Testing
import Text

struct ByteScanTests {
  /// Compares a scan with a look at each byte.
  private func check(
    _ bytes: [UInt8], _ scan: (UnsafeBufferPointer<UInt8>, Int) -> Int, stops: (UInt8) -> Bool
  ) {
    for start in 0...min(bytes.count, 9) {
      let found = bytes.withUnsafeBufferPointer { scan($0, start) }
      let first = bytes[start...].firstIndex(where: stops) ?? bytes.count
      #expect(found == first, "\(bytes) from \(start)")
    }
  }

  private func checkBoth(_ bytes: [UInt8]) {
    check(bytes, ByteScan.plainEnd) { $0 < 0x20 || $0 >= 0x80 || $0 == 0x22 || $0 == 0x5C }
    check(bytes, ByteScan.textEnd) { $0 == 0x0A || $0 == 0x22 || $0 == 0x5C }
  }

  @Test func everyByteAtEveryPlaceIsSeen() {
    for byte in UInt8.min...UInt8.max {
      for place in 0..<17 {
        var bytes = [UInt8](repeating: 0x61, count: 17)
        bytes[place] = byte
        checkBoth(bytes)
      }
    }
  }

  /// Neighbours of the bytes that end a text, which a subtraction with a borrow can confuse.
  @Test func neighboursOfSpecialBytesAreTold() {
    let values: [UInt8] = [0x00, 0x09, 0x0A, 0x0B, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F, 0x80, 0xA2, 0xDC, 0xFF]
    for first in values {
      for second in values { checkBoth([0x61, first, second, 0x62, second, first, 0x63, 0x64, first, 0x65]) }
    }
    checkBoth([])
  }
}
