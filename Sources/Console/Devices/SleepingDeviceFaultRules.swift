package import Client

/// The fault rules of sleeping devices; they end with this process.
package struct SleepingDeviceFaultRules: Sendable {
  /// The most memory that their texts take together, in bytes; beyond it, the rules of the device that slept longest are evicted.
  package static let textLimit = 64 << 20

  private var plans: [String: FaultPlan] = [:]
  /// The ids of the devices, the one that slept longest first.
  private var order: [String] = []
  /// The memory that the texts take now, in bytes.
  package private(set) var textBytes = 0
  package init() {}

  /// The rules of a device; none if it has none.
  package func plan(of id: String) -> FaultPlan { plans[id] ?? FaultPlan() }

  /// Keeps the rules of a device that goes to sleep.
  package mutating func keep(_ plan: FaultPlan, of id: String) {
    forget(id)
    guard !plan.entries.isEmpty else { return }
    plans[id] = plan
    order.append(id)
    textBytes += plan.textBytes
    while textBytes > Self.textLimit, let oldest = order.first { forget(oldest) }
  }

  /// Evicts the rules of a device.
  package mutating func forget(_ id: String) {
    guard let plan = plans.removeValue(forKey: id) else { return }
    textBytes -= plan.textBytes
    order.removeAll { $0 == id }
  }
}
