import Testing
import Wire

@Suite struct ByteRangeSetTests {
  @Test(
    arguments: [
      ("bytes=0-9", [.from(0, through: 9)]), ("Bytes=5-", [.from(5, through: nil)]), ("bytes=-7", [.suffix(7)]),
      ("bytes=0-0, ,\t2-3 ,-1", [.from(0, through: 0), .from(2, through: 3), .suffix(1)]),
      ("bytes=99999999999999999999-99999999999999999999", [.from(.max, through: .max)]),
      ("bytes=18446744073709551615-", [.from(.max, through: nil)]), ("bytes=-18446744073709551616", [.suffix(.max)]),
      ("bytes=0-18446744073709551614", [.from(0, through: .max - 1)]),
    ] as [(String, [ByteRangeSet.Spec])])
  func reads(_ value: String, _ specs: [ByteRangeSet.Spec]) {
    #expect(ByteRangeSet(value)?.specs == specs)
  }

  @Test(arguments: [
    "", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=1", "bytes=2-1", "bytes=0-1,2-1", "bytes=--1", "bytes=+1-2",
    "bytes=1-2-3",
    "bytes=0x1-2", "bytes=a-b", "bytes= 1 - 2", "bytes=1-2;3-4", "items=0-1", "bytes:0-1", " bytes=0-1", "bytes=1\u{0}-2",
  ])
  func ignores(_ value: String) {
    #expect(ByteRangeSet(value) == nil)
  }

  private func selection(_ value: String, _ length: Int) throws -> ByteRangeSet.Selection {
    try #require(ByteRangeSet(value)).selection(of: length)
  }

  @Test func selects() throws {
    #expect(try selection("bytes=0-9", 100) == .parts([0..<10]))
    #expect(try selection("bytes=90-200", 100) == .parts([90..<100]))
    #expect(try selection("bytes=-30", 20) == .parts([0..<20]))
    #expect(try selection("bytes=8-9,0-1", 100) == .parts([8..<10, 0..<2]))
    #expect(try selection("bytes=0-1,8-9,2-7", 100) == .parts([0..<10]))
    #expect(try selection("bytes=20-30,0-5,25-40,6-6", 100) == .parts([20..<41, 0..<7]))
    #expect(try selection("bytes=0-1,500-", 100) == .parts([0..<2]))
    #expect(try selection("bytes=100-", 100) == .unsatisfiable)
    #expect(try selection("bytes=-0", 100) == .unsatisfiable)
    #expect(try selection("bytes=0-", 0) == .unsatisfiable)
    #expect(try selection("bytes=-1", 0) == .whole)
  }

  @Test func tooMuchIsTheWhole() throws {
    let sixteen = (0..<16).map { "\($0 * 2)-\($0 * 2)" }.joined(separator: ",")
    #expect(try selection("bytes=" + sixteen, 100) != .whole)
    #expect(try selection("bytes=" + sixteen + ",99-99", 100) == .whole)
    #expect(try selection("bytes=0-,0-", 100) == .parts([0..<100]))
    #expect(try selection("bytes=0-,0-,0-0", 100) == .whole)
  }

  @Test func noIntegerTraps() throws {
    let numbers = [
      "0", "1", "9223372036854775806", "9223372036854775807", "9223372036854775808", "18446744073709551615", "9" * 40,
    ]
    for length in [0, 1, 2, Int.max - 1, .max] {
      for first in numbers {
        for last in numbers + [""] {
          for value in ["bytes=\(first)-\(last)", "bytes=-\(first)", "bytes=\(first)-\(last),0-\(first),-\(first),0-,0-,0-"] {
            guard let set = ByteRangeSet(value) else { continue }
            if case .parts(let parts) = set.selection(of: length) {
              #expect(parts.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= length && !$0.isEmpty })
            }
          }
        }
      }
    }
  }
}

private func * (text: String, count: Int) -> String { String(repeating: text, count: count) }
