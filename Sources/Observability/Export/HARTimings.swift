/// The timings of a HAR entry in milliseconds; `time` is their sum.
///
/// `ssl` is part of `connect`; -1 means that a phase did not take place. Time outside all phases counts as blocked.
struct HARTimings: Equatable {
  let blocked: Double
  let dns: Double
  let connect: Double
  let ssl: Double
  let send: Double
  let wait: Double
  let receive: Double
  /// The sum of all phases that took place.
  let time: Double

  init(_ detail: NetworkRowDetail) {
    let timings = detail.timings.rounded
    dns = timings.dns ?? -1
    ssl = timings.tls ?? -1
    connect = timings.connect == nil && timings.tls == nil ? -1 : Self.rounded((timings.connect ?? 0) + (timings.tls ?? 0))
    send = timings.send ?? 0
    wait = timings.wait ?? 0
    receive = timings.receive ?? 0
    let known = max(0, dns) + max(0, connect) + send + wait + receive
    let total = timings.total ?? detail.row.durationMilliseconds ?? 0
    let rest = Self.rounded(max(timings.queue ?? 0, total - known))
    blocked = timings.queue == nil && rest <= 0 ? -1 : max(0, rest)
    time = Self.rounded(known + max(0, blocked))
  }

  private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

  /// Writes the `timings` object.
  func write(into writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("blocked", blocked)
    writer.member("dns", dns)
    writer.member("connect", connect)
    writer.member("ssl", ssl)
    writer.member("send", send)
    writer.member("wait", wait)
    writer.member("receive", receive)
    writer.endObject()
  }
}
