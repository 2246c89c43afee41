package import Domain

/// Fault rules that are armed together under a well-known name (`POST /api/faults/presets/{id}`).
package struct FaultPreset: Codable, Hashable, Sendable {
  /// The stable id in addresses; its words are in section `faults` of `Public/assets/locales`.
  package let id: String
  /// The English name on the pages, for readers of the API.
  package let name: String
  package let rules: [FaultRule]

  private init(
    _ id: String, _ name: String, for lifetime: Int = FaultPlan.defaultLifetime,
    _ rules: [(FaultRule.Action, FaultRule.When)]
  ) {
    self.id = id
    self.name = name
    self.rules = rules.map { action, when in
      FaultRule(name: name, preset: id, when: when, action: action, lifetime: lifetime)
    }
  }

  private init(_ id: String, _ name: String, for lifetime: Int = FaultPlan.defaultLifetime, _ action: FaultRule.Action) {
    self.init(id, name, for: lifetime, [(action, FaultRule.When())])
  }

  /// Whether a backend has the calls on which the preset's rules act.
  package func canAct(at offer: BackendOffer) -> Bool {
    offer.has(.refresh) || !rules.contains { $0.action.kind == .revokeRefreshToken }
  }

  /// The preset with this id.
  package static func named(_ id: String) -> FaultPreset? { all.first { $0.id == id } }

  /// Every preset: first everyday conditions of a phone, then one for each failure that the pages can show.
  package static let all: [FaultPreset] = [
    FaultPreset(
      "train-wifi", "Train Wi-Fi",
      [
        (.init(.latency, latencyMilliseconds: 1500), .init(probability: 0.7, seed: 1)),
        (.init(.offline), .init(probability: 0.25, seed: 2)), (.init(.reset), .init(probability: 0.1, seed: 3)),
      ]),
    FaultPreset("airplane", "Airplane", .init(.offline)),
    FaultPreset("token-expires", "Token expires during a user action", .init(.expireAccessToken)),
    // The lifetime equals the wait, so that a client that waits exactly that long succeeds.
    FaultPreset("rate-limited", "Rate limited 30 s", for: 30, .init(.rateLimit, retryAfterSeconds: 30)),
    FaultPreset("backend-down", "Backend down", .init(.status, status: 503)),
    FaultPreset(
      "refresh-revoked", "Refresh revoked",
      [(.init(.expireAccessToken), .init(count: 1)), (.init(.revokeRefreshToken), .init(count: 1))]),
    FaultPreset("garbage-json", "Garbage JSON", .init(.malformedBody)),
    FaultPreset("sloppy-backend", "Sloppy backend", [(.init(.mangleFields), .init(probability: 0.3, seed: 4))]),
    FaultPreset("slow-backend", "Slow backend 3 s", .init(.latency, latencyMilliseconds: 3000)),
    FaultPreset("silent-backend", "Silent backend", .init(.timeout, latencyMilliseconds: 2000)),
    FaultPreset("lost-answers", "Lost responses", .init(.reset)),
    FaultPreset("device-unregistered", "Device no longer registered", [(.init(.unregisterDevice), .init(count: 1))]),
    FaultPreset("clock-ahead", "Clock 10 min ahead", .init(.clockSkew, skewSeconds: 600)),
    FaultPreset("bad-signature", "Signature rejected", .init(.status, status: 401, code: "invalid_signature")),
    FaultPreset("wrong-pin", "Wrong pin", .init(.pinMismatch)),
    FaultPreset("untrusted-certificate", "Certificate not trusted", .init(.tlsFailure)),
    FaultPreset("backend-error", "Backend error 500", .init(.status, status: 500)),
    FaultPreset("not-found", "Nothing found 404", .init(.status, status: 404)),
    FaultPreset("conflict", "Conflict 409", .init(.status, status: 409)),
    FaultPreset("storage-full", "Storage full on the device", .init(.storageFull)),
  ]
}
