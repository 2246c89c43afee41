import Foundation
import JSON
import Observability
import Testing

/// A sequence stays within its bounds, whatever number it is made of and wherever it is moved.
struct RowSequenceTests {
  @Test func aNumberOfAnySizeIsOne() {
    #expect(RowSequence(clamping: Int64.min) == 0 && RowSequence(clamping: -1) == 0)
    #expect(RowSequence(clamping: UInt64.max) == .last && RowSequence(clamping: Int64.max) == .last)
    #expect(RowSequence.last.number == 1 << 53)
  }

  @Test func noMoveLeavesTheBounds() {
    #expect(RowSequence.last.next == .last && RowSequence.last.advanced(by: .max) == .last)
    #expect(RowSequence(clamping: 0).previous == 0 && RowSequence(clamping: 5).moved(back: .max) == 0)
    #expect(RowSequence(clamping: 5).moved(back: 2) == 3 && RowSequence(clamping: 5).advanced(by: 2) == 7)
    #expect(RowSequence(clamping: 2).distance(behind: 5) == 0 && RowSequence(clamping: 5).distance(behind: 2) == 3)
  }

  @Test func itIsANumberInJSON() throws {
    let page = NetworkGap(after: 7, at: Timestamp(milliseconds: 0))
    let bytes = try JSONCoding.encode(page)
    #expect(String(decoding: bytes, as: UTF8.self).contains(#""after":7"#))
    #expect(try JSONCoding.decode(NetworkGap.self, from: bytes).after == 7)
    let large = #"{"after":18446744073709551615,"at":"1970-01-01T00:00:00.000Z"}"#
    #expect(throws: JSONError.self) { try JSONCoding.decode(NetworkGap.self, from: Array(large.utf8)) }
  }
}
