import Client
import Console
import FoundationEssentials
import Testing

/// The rules of sleeping devices, as a value.
@Suite struct SleepingDeviceFaultRulesTests {
  private static let moment = FaultPlan.Moment(monotonic: ContinuousClock().now, wall: Date(timeIntervalSince1970: 0))

  /// A plan with a rule whose texts have this size.
  private func plan(_ count: Int) -> FaultPlan {
    let body = FaultText(String(repeating: "x", count: count))
    var plan = FaultPlan()
    _ = plan.arm(
      FaultRule(name: "r", action: .init(.answer, status: 200, body: body)), id: "1",
      at: Self.moment)
    return plan
  }

  @Test func aDeviceGetsItsRulesBack() {
    var plans = SleepingDeviceFaultRules()
    #expect(plans.plan(of: "a").entries.isEmpty)
    plans.keep(plan(7), of: "a")
    #expect(plans.plan(of: "a").entries.count == 1 && plans.textBytes == 7)
    plans.keep(plan(3), of: "a")
    #expect(plans.textBytes == 3)
    plans.keep(FaultPlan(), of: "a")
    #expect(plans.plan(of: "a").entries.isEmpty && plans.textBytes == 0)
    plans.keep(plan(3), of: "a")
    plans.forget("a")
    plans.forget("b")
    #expect(plans.plan(of: "a").entries.isEmpty && plans.textBytes == 0)
  }

  @Test func beyondTheLimitTheDeviceThatSleptLongestIsForgotten() {
    var plans = SleepingDeviceFaultRules()
    let count = SleepingDeviceFaultRules.textLimit / FaultPlan.textLimit
    let large = plan(FaultPlan.textLimit)
    for index in 0..<count { plans.keep(large, of: "\(index)") }
    #expect(plans.textBytes == SleepingDeviceFaultRules.textLimit && plans.plan(of: "0").entries.count == 1)
    // It slept again since, so another one is the oldest.
    plans.keep(large, of: "0")
    plans.keep(plan(1), of: "last")
    #expect(plans.plan(of: "1").entries.isEmpty)
    #expect(plans.plan(of: "0").entries.count == 1 && plans.plan(of: "last").entries.count == 1)
    #expect(plans.textBytes == SleepingDeviceFaultRules.textLimit - FaultPlan.textLimit + 1)
  }
}
