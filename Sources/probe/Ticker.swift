import Server

/// Publishes consecutive numbers from 1, one each period.
struct Ticker: Sendable {
  /// The channel to subscribe to.
  let channel = EventChannel(epoch: "probe", capacity: 256, heartbeat: .seconds(10))
  private let task: Task<Void, Never>

  /// Starts counting.
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
