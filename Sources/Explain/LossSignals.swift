/// The signals that an app has left its session: events of its analytics, sign-in pages, and calls without a token.
struct LossSignals {
  struct Signal {
    let index: Int
    let start: Int64
    let client: Int
    let site: Int
    /// Whether the app reports it.
    let isReported: Bool
    /// Whether it reports the end of the session, not only a sign-in screen.
    let isEnd: Bool
  }

  /// In the order of their starts.
  private var signals: [Signal] = []

  init(_ log: SessionLog) {
    for (index, exchange) in log.exchanges.enumerated() {
      let isReported = exchange.reportsEnd || exchange.reportsSignInScreen
      let hasSession = !exchange.sent.isEmpty && exchange.kind != .signIn && !exchange.isSignInPage
      let isSignIn = exchange.kind == .signIn || exchange.kind == .other && exchange.words.contains(.signIn)
      let isBare = exchange.kind == .other && exchange.isUnauthorized
      guard isReported || !hasSession && (isSignIn || isBare) else { continue }
      signals.append(
        Signal(
          index: index, start: exchange.start, client: exchange.client, site: exchange.site, isReported: isReported,
          isEnd: exchange.reportsEnd))
    }
  }

  /// The maximum number of signals of other apps in between.
  private static let limit = 1000

  /// The first one of a family's app at or after a time.
  func first(after time: Int64, sites: Set<Int>, clients: Set<Int>, isAlone: Bool, onlyEnds: Bool = false) -> Signal? {
    var low = 0
    var high = signals.count
    while low < high {
      let middle = (low + high) / 2
      if signals[middle].start < time { low = middle + 1 } else { high = middle }
    }
    return signals[low...].prefix(Self.limit).first { signal in
      let isOwn = isAlone || clients.contains(signal.client)
      return isOwn && (signal.isReported || sites.contains(signal.site)) && (!onlyEnds || signal.isEnd)
    }
  }
}
