import Testing

@testable import Client

struct DurationMillisecondsTests {
  @Test func roundsUpAndHoldsWithinAnInt32() {
    #expect(Duration.milliseconds(1500).wholeMilliseconds == 1500)
    #expect(Duration.microseconds(1).wholeMilliseconds == 1)
    #expect(Duration.zero.wholeMilliseconds == 0)
    #expect(Duration.milliseconds(-5).wholeMilliseconds == -5)
    #expect(Duration.seconds(Int64.max / 2).wholeMilliseconds == Int(Int32.max) - 1)
    #expect(Duration(secondsComponent: .min, attosecondsComponent: 0).wholeMilliseconds == Int(Int32.min))
    #expect(Duration.seconds(Int64.min / 2).wholeMilliseconds == Int(Int32.min))
  }
}
