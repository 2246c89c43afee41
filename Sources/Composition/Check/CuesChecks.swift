import BackendFile
import Client
import Console
import Domain
import Observability
import RPC

extension CheckCase {
  /// The cues, online and offline.
  static let cues: [CheckCase] = [
    CheckCase("cues-browse", "cues", "The cues of the profile are returned in order", needs: [.getCues]) { context in
      let device = try await context.signedInDevice()
      let gateway = CueGateway.backend(device.cues)
      _ = try await BrowseCues(gateway: gateway)()
      let list = try await gateway.refresh()
      try context.expect(list.source == .network, "the list came from the cache")
      let positions = list.cues.map(\.position)
      try context.expect(positions == positions.sorted(), "the cues are out of order")
      try context.expect(Set(list.cues.map(\.cueID)).count == list.cues.count, "a cue is listed twice")
    },
    CheckCase("cues-shuffle", "cues", "Shuffling keeps every cue, and the new order stays", needs: [.getCues, .shuffleCues]) {
      context in
      let (device, cues) = try await context.fetchedCues()
      let gateway = CueGateway.backend(device.cues)
      let shuffled = try await ShuffleCues(gateway: gateway)().cues.map(\.cueID)
      try context.expect(Set(shuffled) == Set(cues.map(\.cueID)), "the cues are not the same as before")
      let read = try await gateway.refresh().cues.map(\.cueID)
      try context.expect(read == shuffled, "reading them returns another order")
    },
    CheckCase("cue-update", "cues", "A cue can be moved to another stage and back", needs: [.getCues, .updateCueStage]) {
      context in
      let (device, cues) = try await context.fetchedCues()
      for stage in [cues[0].stage.other, cues[0].stage] {
        try await context.move(cues[0], to: stage, on: device)
        let read = try await context.cue(cues[0].cueID, on: device)
        try context.expect(read.stage == stage && !read.isPending, "the stage is \(read.stage.rawValue)")
      }
    },
    CheckCase("cue-conflict", "cues", "A move of an outdated cue is rejected, and repeated on the newer one", scope: .contract) {
      context in
      let (first, second) = try await context.signedInDevices()
      guard let cue = try await CueGateway.backend(first.cues).refresh().cues.last else {
        throw CheckStop.skipped("the profile has no cues")
      }
      _ = try await context.cue(cue.cueID, on: second)
      let base = try await context.receivedCue(cue.cueID, on: first).updatedAt
      let theirs = cue.stage.other
      let ours = cue.stage.other.other
      try await context.move(cue, to: theirs, on: second)
      let stale = CueStageRequest(
        cueID: cue.cueID, stage: CueStage(rawValue: ours.rawValue) ?? .new, baseUpdatedAt: base)
      try await context.expect(NetworkError.rejected(status: 409, code: BackendErrorCode.conflict)) {
        _ = try await first.client.api.send(CueEndpoints.UpdateCueStage(), body: stale)
      }
      // The client's own outdated move meets the same conflict, takes the newer cue from it and is then accepted.
      try await context.move(cue, to: ours, on: first)
      let refused = context.recentRows.contains {
        $0.endpoint == CueEndpoints.UpdateCueStage.name && $0.flow == "update_cue_stage" && $0.status == 409
      }
      try context.expect(refused, "the client's outdated move was not refused")
      let settled = try await context.cue(cue.cueID, on: second)
      try context.expect(settled.stage == ours, "the move is not visible on the other device")
      try await context.move(cue, to: cue.stage, on: first)
    },
    CheckCase("cue-offline", "cues", "A move while offline is saved and arrives later", scope: .contract) { context in
      let (device, cues) = try await context.fetchedCues()
      let network = context.backend.network
      let stage = cues[0].stage.other
      network.setOffline(true)
      defer { network.setOffline(false) }
      let update = UpdateCueStage(gateway: .backend(device.cues))
      guard case .kept(let kept) = try await update(cueID: cues[0].cueID, rawStage: stage.rawValue), kept.isPending else {
        throw CheckStop.failed("expected the edit to be saved")
      }
      try context.expect(kept.stage == stage, "the move is not visible")
      network.setOffline(false)
      // The first response wakes the outbox.
      _ = try await context.expectAccount(of: device)
      while await device.cues.unsentEdits() > 0 { try await Task.sleep(for: .milliseconds(20)) }
      let read = try await context.cue(cues[0].cueID, on: device)
      try context.expect(read.stage == stage, "the backend has another stage")
      try await context.move(cues[0], to: cues[0].stage, on: device)
    },
    CheckCase(
      "idempotency", "cues", "A call whose response is lost is repeated with its key and gets the same response", scope: .contract
    ) {
      context in
      let (device, _) = try await context.fetchedCues()
      guard try context.requireConfig().features.idempotencyKeys else {
        throw CheckStop.skipped("the backend has no idempotency keys")
      }
      let network = context.backend.network
      network.loseNextResponse(of: CueEndpoints.ShuffleCues.path)
      _ = try await ShuffleCues(gateway: .backend(device.cues))()
      let lost = network.takeLostResponse()
      try context.expect(lost.bodies.count == 2, "the call was not repeated")
      try context.expect(lost.keys[0] != nil && lost.keys[0] == lost.keys[1], "the second call had another key")
      try context.expect(lost.bodies[0] == lost.bodies[1], "the second call got a different response")
    },
  ]
}

extension CheckContext {
  /// A signed-in device and its cues, as fetched from the backend; throws `skipped` if there are none.
  func fetchedCues() async throws -> (Device, [Domain.Cue]) {
    let device = try await signedInDevice()
    let cues = try await CueGateway.backend(device.cues).refresh().cues
    guard !cues.isEmpty else { throw CheckStop.skipped("the profile has no cues") }
    return (device, cues)
  }

  /// A cue as fetched from the backend and shown by the device.
  func cue(_ id: String, on device: Device) async throws -> Domain.Cue {
    guard let cue = try await CueGateway.backend(device.cues).refresh().cues.first(where: { $0.cueID == id }) else {
      throw CheckStop.failed("the cue is gone")
    }
    return cue
  }

  /// A cue as the backend sends it.
  func receivedCue(_ id: String, on device: Device) async throws -> CueBody {
    let profile = try await expectAccount(of: device).activeProfile
    let list = try await device.client.api.send(CueEndpoints.GetCues(profileID: profile?.profileID ?? ""), body: NoBody())
    guard let cue = list.cues.first(where: { $0.cueID == id }) else { throw CheckStop.failed("the cue is gone") }
    return cue
  }

  /// Moves a cue and expects the backend to accept it at once.
  func move(_ cue: Domain.Cue, to stage: LearningStage, on device: Device) async throws {
    switch try await UpdateCueStage(gateway: .backend(device.cues))(cueID: cue.cueID, rawStage: stage.rawValue) {
    case .reached(let moved): try expect(moved.stage == stage, "the stage is \(moved.stage.rawValue)")
    case .kept: throw CheckStop.failed("the backend did not accept the move at once")
    }
  }
}

extension LearningStage {
  /// The next stage, the first after the last.
  fileprivate var other: LearningStage {
    switch self {
    case .new: .learning
    case .learning: .review
    case .review: .mastered
    case .mastered: .new
    }
  }
}
