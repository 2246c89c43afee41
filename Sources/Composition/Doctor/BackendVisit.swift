import Client
import Domain
import Foundation
import HTTPTypes
import Locking
import Text

/// One request to a backend, without a signature and without a session, which shows whether it responds, its certificate and
/// the time on its clock.
struct BackendVisit: Sendable {
  /// The backend's origin.
  let origin: String
  /// The longest difference of the clocks, in seconds, that tokens and signatures usually tolerate.
  private static let tolerance: Int64 = 60

  /// A key that no certificate has: with it, the reporting mode reports the chain of every backend.
  private static let nobodysPin = SPKIPin(digest: [UInt8](repeating: 0, count: 32))

  /// Sends the request; the findings about backend, certificate and clock.
  func findings(_ configuration: () throws(StartFailure) -> TransportConfiguration) async -> [DoctorFinding] {
    let chain = Locked<[String]>([])
    let transport: RotatingTransport
    let isPinned: Bool
    do {
      var configuration = try configuration()
      isPinned = !configuration.pins.isEmpty
      if !isPinned, let pin = Self.nobodysPin { (configuration.pins, configuration.pinMode) = ([pin], .report) }
      transport = try RotatingTransport(configuration) { pins in chain.withLock { $0 = pins } }
    } catch {
      return [
        .problem(.backend, (error as? StartFailure)?.message ?? "the HTTP client cannot start", advice: "Correct the flags.")
      ]
    }
    let request = TransportRequest(
      method: .get, url: "\(origin)/", headers: [.userAgent: "understudy/\(Version.text)"], idleTimeout: .seconds(10),
      deadline: .now + .seconds(15), isReplayable: true)
    let answer: Result<TransportResponse, TransportError>
    do { answer = .success(try await transport.transport.send(request)) } catch { answer = .failure(error) }
    await transport.shutdown()
    return findings(
      answer, leaf: chain.withLock(\.first), isPinned: isPinned, now: Int64(Time.system.wall().timeIntervalSince1970))
  }

  /// The findings from a response or a failure. `leaf` is the pin of the server's own key, if it was reported, and `now` this
  /// machine's Unix time.
  func findings(
    _ answer: Result<TransportResponse, TransportError>, leaf: String?, isPinned: Bool, now: Int64
  ) -> [DoctorFinding] {
    switch answer {
    case .success(let response):
      let pinned =
        isPinned
        ? DoctorFinding.ok(.certificate, "it is trusted, and one of its keys is pinned")
        : .ok(
          .certificate, "it is trusted; no key is pinned",
          advice: leaf.map { "To let in no other key: --pin \($0), and a backup pin" })
      return [.ok(.backend, "\(origin) answers"), pinned] + clock(response, now: now)
    case .failure(.tls(let reason)):
      return [
        .ok(.backend, "\(origin) accepts connections"),
        .problem(
          .certificate, reason.isEmpty ? "it is not trusted" : "it is not trusted: \(reason)",
          advice: "Name the authority's PEM file with --ca; if it has expired, the backend needs a new one."),
      ]
    case .failure(.pinMismatch(let presented)):
      return [
        .ok(.backend, "\(origin) accepts connections"),
        .problem(
          .certificate, "none of its keys is pinned",
          advice: "If the backend has a new key: --pin \(presented.first ?? "sha256/…"). Otherwise it is intercepted."),
      ]
    case .failure(let error):
      return [
        .problem(
          .backend, "\(origin): \(error)",
          advice: "Check the address, that the backend runs, and the proxy (--proxy, HTTPS_PROXY).")
      ]
    }
  }

  private func clock(_ response: TransportResponse, now: Int64) -> [DoctorFinding] {
    guard let text = response.headers[.date], let date = HTTPDate.parse(text, now: now) else {
      return [.ok(.clock, "the backend does not tell its time")]
    }
    let (ahead, overflow) = date.subtractingReportingOverflow(now)
    guard !overflow, ahead.magnitude <= UInt64(Self.tolerance) else {
      return [
        .problem(
          .clock, "the backend's clock is \(ahead.magnitude) s \(ahead > 0 ? "ahead of" : "behind") this machine's",
          advice: "Set the clock that is wrong; signatures and tokens depend on it.")
      ]
    }
    return [.ok(.clock, "the backend's clock differs by \(ahead.magnitude) s")]
  }
}
