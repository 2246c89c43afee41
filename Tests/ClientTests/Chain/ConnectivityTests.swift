import Support
import Testing

@testable import Client

/// When the client takes the backend for unreachable, as a value.
struct ConnectivityTests {
  let start = ContinuousClock().now

  private func failed(_ count: Int) -> Connectivity {
    var connectivity = Connectivity()
    for _ in 0..<count { connectivity.note(.unreachable, now: start) }
    return connectivity
  }

  @Test func threeFailuresInARowMakeItClear() {
    for count in 0...4 {
      var connectivity = failed(count)
      #expect(connectivity.isOffline == (count >= 3))
      #expect(connectivity.hasRecentFailure == (count >= 1))
      #expect(connectivity.admit(canWait: false, now: start) == (count >= 3 ? .refuse : .go))
      connectivity.note(.reached, now: start)
      #expect(!connectivity.hasRecentFailure)
      #expect(connectivity.admit(canWait: false, now: start) == .go)
    }
  }

  @Test func aPatientCallWaitsFromTheFirstFailure() {
    var connectivity = failed(1)
    #expect(connectivity.admit(canWait: true, now: start) == .wait(until: start + .seconds(1)))
    #expect(connectivity.admit(canWait: true, now: start + .seconds(1)) == .go)
  }

  @Test(arguments: [(3, 4), (4, 5), (5, 5), (100, 5)])
  func aCallGoesOutToSeeOnceTheIntervalHasPassed(count: Int, seconds: Int) {
    var connectivity = failed(count)
    let due = start + .seconds(seconds)
    #expect(connectivity.admit(canWait: false, now: due - .milliseconds(1)) == .refuse)
    #expect(connectivity.admit(canWait: false, now: due) == .go)
    // A page asks for several things at once: calls that come with the probe are sent with it.
    #expect(connectivity.admit(canWait: false, now: due + Connectivity.probeWindow - .milliseconds(1)) == .go)
    // Later calls wait until the probe ends or the interval passes.
    #expect(connectivity.admit(canWait: false, now: due + Connectivity.probeWindow) == .refuse)
    #expect(connectivity.admit(canWait: true, now: due) == .wait(until: due + .seconds(seconds)))
    #expect(connectivity.admit(canWait: false, now: due + .seconds(seconds)) == .go)
  }

  @Test func whoWantsToSeeGoesOutAtOnceAndAlone() {
    var connectivity = failed(3)
    connectivity.allowProbe(now: start)
    #expect(connectivity.admit(canWait: false, now: start) == .go)
    #expect(connectivity.isOffline)
    #expect(connectivity.admit(canWait: false, now: start + Connectivity.probeWindow) == .refuse)
  }

  @Test func whoeverAsksLongEnoughIsLetOut() {
    for count in 0...20 {
      var connectivity = failed(count)
      let admissions = (0...5).map { connectivity.admit(canWait: $0 % 2 == 0, now: start + .seconds($0)) }
      #expect(admissions.contains(.go), "\(count)")
    }
  }

  @Test func onlyAttemptsThatMadeNoConnectionCount() {
    for kind in TransportError.OfflineKind.allCases { #expect(Connectivity.Signal(.offline(kind: kind)) == .unreachable) }
    #expect(Connectivity.Signal(.timedOut(.connect)) == .unreachable)
    for error: TransportError in [
      .connectionLost(mayHaveBeenProcessed: false), .tls("x"), .pinMismatch(presented: []), .responseTooLarge, .malformedResponse,
    ] {
      #expect(Connectivity.Signal(error) == .reached)
    }
    for error: TransportError in [.timedOut(.idle), .timedOut(.deadline), .cancelled, .invalidURL] {
      #expect(Connectivity.Signal(error) == nil)
    }
  }
}
