import Client
import Console
import Domain
import FoundationEssentials
import Logging
import Observability
import Redaction
import Storage
import Vault

/// Measures the log on the disk: its size, how fast a device wakes with it and how fast it is searched, with 10,000 rows and with many.
enum SavedLog {
  private static let owner = SavedLogOwner(deviceID: "device", backendID: "backend")

  /// Saves 10,000 rows and then `count` rows, each in its own file, as they are written in the background of a busy device.
  static func measure(count: Int) async throws -> [Figure] {
    let (saved, unsaved) = try await recording()
    let few = try await state(of: 10_000)
    let many = try await state(of: count)
    let grown = Double(many.grownKiB - few.grownKiB) / 1024
    var figures = [
      Figure(
        work: "recording in a log that is saved, p95, and in one that is not", goal: "≤ 1.2 ×",
        measured: "\(Figure.number(saved(0.95))) µs, \(Figure.number(unsaved(0.95))) µs "
          + "(medians \(Figure.number(saved(0.5))), \(Figure.number(unsaved(0.5))))",
        isMet: saved(0.95) <= 1.2 * unsaved(0.95)),
      Figure(
        work: "10,000 saved rows with answers of 1.6 KB", goal: "–", measured: "\(Figure.number(Double(few.bytes) / 1e6)) MB",
        isMet: true),
      Figure(
        work: "waking with \(count) saved rows, and with 10,000", goal: "≤ 1.2 ×",
        measured: "\(Figure.number(many.load)) ms, \(Figure.number(few.load)) ms", isMet: many.load <= 1.2 * few.load),
      Figure(
        work: "memory with \(count), beyond that with 10,000", goal: "≤ 16 MB", measured: "\(Figure.number(grown)) MB",
        isMet: grown <= 16),
    ]
    for (name, taken) in many.searches {
      figures.append(
        Figure(
          work: "filtering \(count) saved rows by \(name)", goal: "≤ 1000 ms", measured: "\(Figure.number(taken)) ms",
          isMet: taken <= 1000))
    }
    return figures
  }

  private struct State {
    var bytes = 0
    var load = 0.0
    var searches: [(String, Double)] = []
    var grownKiB = 0
  }

  private static func state(of count: Int) async throws -> State {
    let folder = try TemporaryPlace()
    let path = folder.file
    var limits = SavedLogLimits()
    limits.bytes = 1 << 40
    let key = SealingKey.random()
    let store = SavedLogStore(storage: try await SavedLogSchema.open(path: path), key: key, limits: limits)
    try await fill(store, count)
    let file = try await SavedLogSchema.open(path: path)
    try await file.purge()
    var state = State()
    state.bytes = (try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    let opened = SavedLogStore(storage: file, key: key, limits: limits)
    let before = ProcessFacts.currentKiB()
    var loads: [Duration] = []
    for _ in 0..<5 {
      let started = ContinuousClock.now
      let saved = try await opened.load(owner, limit: 2000, at: Date())
      loads.append(ContinuousClock.now - started)
      precondition(saved.attempts.count == 2000)
    }
    state.load = Quantiles(loads)(0.5) / 1e3
    let filters: [(String, [(String, String)])] = [
      ("text that is nowhere", [("q", "nowhere at all")]), ("text that is in every row", [("q", "get_cues")]),
      ("status", [("status", "503")]), ("failure", [("status", "err")]),
    ]
    for (name, pairs) in filters {
      guard let filter = NetworkFilter(queryPairs: pairs) else { continue }
      let started = ContinuousClock.now
      _ = try await opened.rows(before: .last, matching: filter, limit: 1000, of: owner)
      state.searches.append((name, Quantiles([ContinuousClock.now - started])(0) / 1e3))
    }
    state.grownKiB = ProcessFacts.currentKiB() - before
    withExtendedLifetime(folder) {}
    return state
  }

  /// Records `count` calls in a log that is saved, as a device does it.
  private static func fill(_ store: SavedLogStore, _ count: Int) async throws {
    let (log, savedLog) = makeLog(store)
    let call = BenchmarkCall()
    let body = BenchmarkCall.body(cues: 4)
    for number in 1...count {
      call.record(in: log, answer: body)
      // This is faster than any device, so that it has to wait for the disk.
      if number % 256 == 0 { await savedLog.flush() }
    }
    await savedLog.flush()
  }

  private static func makeLog(_ store: SavedLogStore, _ registry: SecretRegistry = BenchmarkCall().registry) -> (
    NetworkLog, DeviceSavedLog
  ) {
    let writer = SavedLogWriter(store: store, time: .system, logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() })
    let savedLog = DeviceSavedLog(owner: owner, writer: writer)
    let timeline = DeviceTimeline(wall: { Date() }) { savedLog.changed() }
    let log = NetworkLog(capacity: 2000, bodyBytes: 16 << 20, registry: registry) { _ in savedLog.changed() }
    log.restore([], older: 0, next: 1)
    savedLog.connect(log: log, timeline: timeline, savedFaults: []) { FaultPlan() }
    return (log, savedLog)
  }

  /// Records calls alternately in a log that is saved in the background and in one that is not saved; returns the durations of
  /// both.
  private static func recording() async throws -> (saved: Quantiles, unsaved: Quantiles) {
    let folder = try TemporaryPlace()
    let call = BenchmarkCall()
    let store = SavedLogStore(storage: try await SavedLogSchema.open(path: folder.file), key: .random())
    let (log, savedLog) = makeLog(store, call.registry)
    let unsaved = NetworkLog(capacity: 2000, bodyBytes: 16 << 20, registry: call.registry) { _ in }
    let body = BenchmarkCall.body(cues: 4)
    var taken: (saved: [Duration], unsaved: [Duration]) = ([], [])
    for number in 0..<20_000 {
      let isSaved = number / 64 % 2 == 0
      let started = ContinuousClock.now
      call.record(in: isSaved ? log : unsaved, answer: body)
      let one = ContinuousClock.now - started
      if isSaved { taken.saved.append(one) } else { taken.unsaved.append(one) }
    }
    await savedLog.flush()
    withExtendedLifetime(folder) {}
    return (Quantiles(taken.saved), Quantiles(taken.unsaved))
  }
}

/// A folder that is removed after its last use.
private final class TemporaryPlace {
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  var file: String { folder.appending(path: "evidence.sqlite").path }

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: folder) }
}
