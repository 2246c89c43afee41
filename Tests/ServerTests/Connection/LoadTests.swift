import HTTPTypes
import Server
import Testing

@Suite(.timeLimit(.minutes(1))) struct LoadTests {
  @Test func manyClientsOnTwoLoopsGetTheirOwnAnswers() async throws {
    try await RunningServer.with(loops: 2, respond: echo) { running in
      let port = running.port
      try await withThrowingTaskGroup(of: Int.self) { group in
        for worker in 0..<16 {
          group.addTask {
            try await RawClient.talk(port) { client in
              var right = 0
              for number in 0..<50 {
                let body = "\(worker)-\(number)"
                client.send("POST /\(worker) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
                if client.answer().text == "POST /\(worker) - \(body)" { right += 1 }
              }
              return right
            }
          }
        }
        let right = try await group.reduce(0, +)
        #expect(right == 800)
      }
    }
  }

  @Test func aStopUnderLoadBreaksNoAnswer() async throws {
    try await RunningServer.with(loops: 2, respond: echo) { running in
      let port = running.port
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<8 {
          group.addTask {
            try await RawClient.talk(port) { client in
              // Every response is complete; after one that announces the end of the connection, it ends.
              while true {
                guard client.send(get("/")) else { return true }
                let answer = client.answer()
                guard answer.status != 0 else { return client.rest().isEmpty }
                guard answer.isWhole, answer.text == "GET / - " else { return false }
                if answer["connection"] == "close" { return client.isClosed() }
              }
            }
          }
        }
        await running.waitForConnections(8)
        await running.server.stop(within: .seconds(5))
        for try await isOrderly in group { #expect(isOrderly) }
      }
    }
  }
}
