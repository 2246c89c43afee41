import Client
import Console
import Domain
import JSON
import Observability
import RPC

extension CheckCase {
  /// The cues, with and without the backend in reach.
  static let cues: [CheckCase] = [
    CheckCase("cues-browse", "cues", "The cues of the profile are read, in order") { context in
      let device = try await context.signedInDevice()
      let gateway = CueGateway.backend(device.cues)
      _ = try await BrowseCues(gateway: gateway)()
      let list = try await gateway.refresh()
      try context.expect(list.source == .network, "the list came from the device")
      let positions = list.cues.map(\.position)
      try context.expect(positions == positions.sorted(), "they are out of order")
      try context.expect(Set(list.cues.map(\.cueID)).count == list.cues.count, "a cue is there twice")
    },
    CheckCase("cues-shuffle", "cues", "Shuffling keeps every cue, and its order stays") { context in
      let (device, cues) = try await context.fetchedCues()
      let gateway = CueGateway.backend(device.cues)
      let shuffled = try await ShuffleCues(gateway: gateway)().cues.map(\.cueID)
      try context.expect(Set(shuffled) == Set(cues.map(\.cueID)), "the cues are others than before")
      let read = try await gateway.refresh().cues.map(\.cueID)
      try context.expect(read == shuffled, "reading them gives another order")
    },
    CheckCase("cue-update", "cues", "A cue is moved to a stage, and back") { context in
      let (device, cues) = try await context.fetchedCues()
      for stage in [cues[0].stage.other, cues[0].stage] {
        try await context.move(cues[0], to: stage, on: device)
        let read = try await context.cue(cues[0].cueID, on: device)
        try context.expect(read.stage == stage && !read.isPending, "it stands at \(read.stage.rawValue)")
      }
    },
    CheckCase("cue-conflict", "cues", "A move of an outdated cue is refused, and made again on the newer one") { context in
      let (first, second) = try await context.signedInDevices()
      guard let cue = try await CueGateway.backend(first.cues).refresh().cues.last else {
        throw CheckStop.skipped("the profile has no cues")
      }
      _ = try await context.cue(cue.cueID, on: second)
      let (theirs, ours) = (cue.stage.other, cue.stage.other.other)
      try await context.move(cue, to: theirs, on: second)
      let stale = CueStageRequest(
        cueID: cue.cueID, stage: RPC.CueStage(rawValue: ours.rawValue) ?? .new, baseUpdatedAt: Timestamp(cue.updatedAt))
      try await context.expect(NetworkError.rejected(status: 409, code: BackendErrorCode.conflict), "409 conflict") {
        _ = try await first.client.api.send(CueEndpoints.UpdateCueStage(), body: stale)
      }
      // The client's own outdated move meets the same, takes the newer cue from it, and is taken then.
      try await context.move(cue, to: ours, on: first)
      let refused = context.recentRows.contains {
        $0.endpoint == CueEndpoints.UpdateCueStage.name && $0.flow == "update_cue_stage" && $0.status == 409
      }
      try context.expect(refused, "the client's outdated move was not refused")
      let settled = try await context.cue(cue.cueID, on: second)
      try context.expect(settled.stage == ours, "the move does not show on the other device")
      try await context.move(cue, to: cue.stage, on: first)
    },
    CheckCase("cue-offline", "cues", "A move without the backend in reach is kept, and arrives later") { context in
      let (device, cues) = try await context.fetchedCues()
      let (network, stage) = (context.backend.network, cues[0].stage.other)
      network.setOffline(true)
      defer { network.setOffline(false) }
      let update = UpdateCueStage(gateway: .backend(device.cues))
      guard case .kept(let kept) = try await update(cueID: cues[0].cueID, rawStage: stage.rawValue), kept.isPending else {
        throw CheckStop.failed("expected it to be kept")
      }
      try context.expect(kept.stage == stage, "the move does not show")
      network.setOffline(false)
      // The first answer wakes the outbox.
      _ = try await context.expectAccount(of: device)
      while await device.cues.unsentEdits() > 0 { try await Task.sleep(for: .milliseconds(20)) }
      let read = try await context.cue(cues[0].cueID, on: device)
      try context.expect(read.stage == stage, "the backend holds another stage")
      try await context.move(cues[0], to: cues[0].stage, on: device)
    },
    CheckCase("idempotency", "cues", "A call whose answer is lost is made again under its key, and answered the same") {
      context in
      let (device, _) = try await context.fetchedCues()
      guard try context.requireConfig().features.idempotencyKeys else {
        throw CheckStop.skipped("the backend has no idempotency keys")
      }
      let network = context.backend.network
      network.loseNextResponse(of: CueEndpoints.ShuffleCues.path)
      _ = try await ShuffleCues(gateway: .backend(device.cues))()
      let lost = network.takeLostResponse()
      try context.expect(lost.bodies.count == 2, "the call was not made again")
      try context.expect(lost.keys[0] != nil && lost.keys[0] == lost.keys[1], "the second call had another key")
      try context.expect(lost.bodies[0] == lost.bodies[1], "the second call was answered differently")
    },
  ]
}

extension CheckContext {
  /// A device that is signed in, with its cues as the backend holds them; throws `skipped` where there are none.
  func fetchedCues() async throws -> (Device, [Domain.Cue]) {
    let device = try await signedInDevice()
    let cues = try await CueGateway.backend(device.cues).refresh().cues
    guard !cues.isEmpty else { throw CheckStop.skipped("the profile has no cues") }
    return (device, cues)
  }

  /// A cue as the backend holds it now, and the device shows it.
  func cue(_ id: String, on device: Device) async throws -> Domain.Cue {
    guard let cue = try await CueGateway.backend(device.cues).refresh().cues.first(where: { $0.cueID == id }) else {
      throw CheckStop.failed("the cue is gone")
    }
    return cue
  }

  /// Moves a cue and expects that the backend takes it at once.
  func move(_ cue: Domain.Cue, to stage: Domain.CueStage, on device: Device) async throws {
    switch try await UpdateCueStage(gateway: .backend(device.cues))(cueID: cue.cueID, rawStage: stage.rawValue) {
    case .reached(let moved): try expect(moved.stage == stage, "it stands at \(moved.stage.rawValue)")
    case .kept: throw CheckStop.failed("the backend did not take it at once")
    }
  }
}

extension Domain.CueStage {
  /// The next stage, the first after the last.
  fileprivate var other: Domain.CueStage {
    switch self {
    case .new: .learning
    case .learning: .review
    case .review: .mastered
    case .mastered: .new
    }
  }
}
