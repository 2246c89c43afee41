import HTTPTypes
package import Server
package import Wire

/// The responses that are the same for everybody, without a route: the health and the files of the pages.
///
/// They are given on the event loop's thread, and only to requests of which the gate needs no more than the host; the application
/// answers all others, and these in the same way.
package struct ReadyResponses: Sendable {
  private struct Host: Sendable {
    let authority: [UInt8]
    let isHome: Bool
  }

  private let hosts: [Host]
  private let health: PreparedResponse
  private let files: StaticFiles

  /// `isTLS` says whether the requests arrive encrypted.
  init(gate: Gate, isTLS: Bool, health: Response, files: StaticFiles) {
    hosts = gate.origins(isTLS: isTLS).map { Host(authority: Array($0.authority.utf8), isHome: gate.isHome($0)) }
    var health = health
    health.headers[.cacheControl] = "no-store"
    self.health = PreparedResponse(health)
    self.files = files
  }

  /// The response to a GET or HEAD without a body; nil if the application has to answer.
  package func response(to view: borrowing RequestView, at instant: ContinuousClock.Instant) -> PreparedResponse? {
    var host: Host?
    var isDocument = false
    for index in 0..<view.fieldCount {
      switch view.name(index).count {
      case 4 where view.isName(index, "host"):
        let value = view.value(index)
        guard host == nil, let found = hosts.first(where: { value.elementsEqual($0.authority) }) else { return nil }
        host = found
      case 14 where view.isName(index, "sec-fetch-dest"):
        isDocument = isDocument || view.value(index).elementsEqual("document".utf8)
      default: break
      }
    }
    // The gate leads a page under another name to the console's own.
    guard let host, host.isHome || !isDocument else { return nil }
    return view.isPath("/healthz") ? health : files.prepared(for: view, at: instant)
  }
}
