import Testing

@testable import Client

/// The idle limit counts from the last byte in either direction (seed-rules C-9 "after 30 s").
struct TransferActivityTests {
  private let start = ContinuousClock.now

  @Test func aBodyThatWasSentAtOnceDoesNotExtendTheLimit() {
    var activity = TransferActivity()
    #expect(activity.deadline(after: .seconds(30)) == nil, "before it is sent, the connect timeout applies")
    activity.begin(at: start)
    activity.noteSent(500, at: start + .milliseconds(10))
    for second in [1, 15, 29] { activity.noteSent(500, at: start + .seconds(second)) }
    #expect(activity.deadline(after: .seconds(30)) == start + .milliseconds(30_010))
  }

  @Test func eachByteExtendsIt() {
    var activity = TransferActivity()
    activity.begin(at: start)
    activity.noteSent(500, at: start + .seconds(10))
    activity.noteSent(501, at: start + .seconds(20))
    #expect(activity.deadline(after: .seconds(30)) == start + .seconds(50))
    activity.noteReceived(at: start + .seconds(40))
    #expect(activity.deadline(after: .seconds(30)) == start + .seconds(70))
  }
}
