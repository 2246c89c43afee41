import Observability

/// Measures redaction, recording, a search through bodies, and the memory of a full log.
enum RecordingCost {
  /// Redacts bodies of 800 KB; takes the best round, because other processes use the machine too.
  static func measureRedaction() -> [Figure] {
    let call = BenchmarkCall()
    let log = NetworkLog(capacity: 100, bodyBytes: 4 << 20, registry: call.registry) { _ in }
    let body = BenchmarkCall.body(cues: 2000)
    let taken = Quantiles(times(40) { call.record(in: log, answer: body) })(0)
    let speed = Double(body.count) / taken
    return [
      Figure(
        work: "redacting JSON, \(body.count / 1000) KB a body", goal: "≥ 100 MB/s", measured: "\(Figure.number(speed)) MB/s",
        isMet: speed >= 100)
    ]
  }

  /// Records calls with a response of 1.6 KB.
  static func measureRecording() -> [Figure] {
    let call = BenchmarkCall()
    let log = NetworkLog(capacity: 2000, bodyBytes: 16 << 20, registry: call.registry) { _ in }
    let body = BenchmarkCall.body(cues: 4)
    _ = times(500) { call.record(in: log, answer: body) }
    let taken = Quantiles(times(20_000) { call.record(in: log, answer: body) })
    let late = taken(0.95)
    return [
      Figure(
        work: "recording and redacting a call, p95", goal: "≤ 50 µs",
        measured: "\(Figure.number(late)) µs (median \(Figure.number(taken(0.5))) µs)", isMet: late <= 50)
    ]
  }

  /// Records a million calls into a full log and searches through 100 MB of bodies.
  static func measureStore(count: Int) -> [Figure] {
    let call = BenchmarkCall()
    let body = BenchmarkCall.body(cues: 18)
    let capacity = 10_000
    let bodyBytes = 64 << 20
    let before = ProcessFacts.now().residentKiB
    let log = NetworkLog(capacity: capacity, bodyBytes: bodyBytes, registry: call.registry) { _ in }
    for _ in 0..<count { call.record(in: log, answer: body) }
    let cap = Double(log.memoryLimit)
    let held = Double((ProcessFacts.currentKiB() - before) * 1024)
    return [
      Figure(
        work: "memory after \(count) calls, of a cap of \(Figure.number(cap / 1e6)) MB", goal: "≤ 110 %",
        measured: "\(Figure.number(held / cap * 100)) % (\(log.rows().dropped) dropped)", isMet: held <= cap * 1.1)
    ] + search(call)
  }

  private static func search(_ call: BenchmarkCall) -> [Figure] {
    let log = NetworkLog(capacity: 10_000, bodyBytes: 128 << 20, registry: call.registry) { _ in }
    let body = BenchmarkCall.body(cues: 250)
    for _ in 0..<(100_000_000 / body.count + 1) { call.record(in: log, answer: body) }
    var longest = Duration.zero
    let started = ContinuousClock.now
    var after: RowSequence = 0
    while true {
      let asked = ContinuousClock.now
      let page = log.search(text: "a text that stands nowhere", after: after)
      longest = max(longest, ContinuousClock.now - asked)
      after = page.next
      if page.done { break }
    }
    let whole = Quantiles([ContinuousClock.now - started])(0) / 1e3
    return [
      Figure(
        work: "searching 100 MB of bodies", goal: "≤ 1000 ms", measured: "\(Figure.number(whole)) ms", isMet: whole <= 1000),
      Figure(
        work: "its longest part", goal: "≤ 100 ms", measured: "\(Figure.number(longest / .milliseconds(1))) ms",
        isMet: longest <= .milliseconds(100)),
    ]
  }

  private static func times(_ count: Int, _ body: () -> Void) -> [Duration] {
    (0..<count).map { _ in
      let started = ContinuousClock.now
      body()
      return ContinuousClock.now - started
    }
  }
}
