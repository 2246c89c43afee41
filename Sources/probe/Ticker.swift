import Server

/// Publishes the numbers from 1 on, one a period, to whoever listens.
struct Ticker: Sendable {
  /// Where the numbers go.
  let channel = EventChannel(epoch: "probe", capacity: 256, heartbeat: .seconds(10))
  private let task: Task<Void, Never>

  /// Begins to count.
  init(period: Duration) {
    task = Task { [channel] in
      var number = 0
      while (try? await Task.sleep(for: period)) != nil {
        number += 1
        channel.publish("tick", data: Array("{\"number\":\(number)}".utf8))
      }
    }
  }

  /// Ends the streams.
  func stop() {
    task.cancel()
    channel.close()
  }
}
