import Client

/// A fault as people see it: a rule, or all rules of one preset together.
struct NamedFault: Hashable, Sendable {
  /// A fault's change to record in the timeline.
  struct Change: Hashable, Sendable {
    let fault: NamedFault
    let from: FaultEntry.State?
    /// nil if the fault was removed.
    let to: FaultEntry.State?
  }

  /// The id of the preset or of the rule.
  let key: String
  /// The first rule, which stands for the others.
  let first: FaultEntry
  /// Armed while one of the rules is.
  let state: FaultEntry.State

  /// The faults of a plan, in the order of their first rules.
  ///
  /// An edited rule no longer belongs to its preset; `separate` is the id of a rule to treat as edited.
  static func list(_ entries: [FaultEntry], at now: ContinuousClock.Instant, separate: String? = nil) -> [NamedFault] {
    var keys: [String] = []
    var members: [String: [FaultEntry]] = [:]
    for entry in entries {
      let key = entry.id == separate ? entry.id : entry.rule.preset ?? entry.id
      if members[key] == nil { keys.append(key) }
      members[key, default: []].append(entry)
    }
    return keys.compactMap { key in
      guard let rules = members[key], let first = rules.first else { return nil }
      let states = Set(rules.map { $0.state(at: now) })
      let order: [FaultEntry.State] = [.armed, .expired, .spent, .off]
      return NamedFault(key: key, first: first, state: order.first { states.contains($0) } ?? .off)
    }
  }

  /// The faults' changes between two states of a plan.
  static func changes(from before: [NamedFault], to after: [NamedFault]) -> [Change] {
    let known = Dictionary(uniqueKeysWithValues: before.map { ($0.key, $0.state) })
    let kept = Set(after.map(\.key))
    return before.filter { !kept.contains($0.key) }.map { Change(fault: $0, from: $0.state, to: nil) }
      + after.filter { known[$0.key] != $0.state }.map { Change(fault: $0, from: known[$0.key], to: $0.state) }
  }
}
