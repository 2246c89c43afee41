import HTTPTypes
import Testing
import Wire

@Suite struct RequestParserTests {
  /// Feeds the bytes in pieces of `size` and returns a transcript of the results.
  private func verdict(_ bytes: [UInt8], pieces size: Int, dropping: Bool = false) -> String {
    var parser = RequestParser()
    var buffer: [UInt8] = []
    var position = 0
    var log: [String] = []
    var current = ""
    var body: [UInt8] = []
    for start in stride(from: 0, to: max(bytes.count, 1), by: size) {
      buffer += bytes[start..<min(start + size, bytes.count)]
      do {
        loop: while true {
          switch try parser.next(in: buffer, at: &position) {
          case .needMore: break loop
          case .head(let head):
            current = "\(head.method.rawValue) \(head.path)" + (head.query.map { "?" + $0 } ?? "")
          case .body(let range): body += buffer[range]
          case .end:
            log.append(current + (body.isEmpty ? "" : " " + String(decoding: body, as: UTF8.self)))
            body = []
          }
        }
      } catch {
        return (log + ["\(error.status.code)"]).joined(separator: "|")
      }
      if dropping {
        buffer.removeSubrange(..<position)
        position = 0
      }
    }
    return (log + ["more"]).joined(separator: "|")
  }

  @Test(arguments: goodRequests + badRequests)
  func verdictIsTheSameForAnyPieces(_ example: RequestCase) {
    #expect(verdict(example.bytes, pieces: max(example.bytes.count, 1)) == example.verdict)
    #expect(verdict(example.bytes, pieces: 1) == example.verdict)
    #expect(verdict(example.bytes, pieces: 1, dropping: true) == example.verdict)
    #expect(verdict(example.bytes, pieces: 7, dropping: true) == example.verdict)
  }

  @Test func tableIsLarge() {
    #expect(goodRequests.count + badRequests.count >= 80)
  }

  private func head(_ text: String) throws -> RequestHead? {
    var parser = RequestParser()
    var position = 0
    guard case .head(let head) = try parser.next(in: Array(text.utf8), at: &position) else { return nil }
    return head
  }

  @Test(arguments: [
    ("HTTP/1.1\r\nHost: a", true), ("HTTP/1.1\r\nHost: a\r\nConnection: close", false),
    ("HTTP/1.1\r\nHost: a\r\nConnection: x, CLOSE", false), ("HTTP/1.1\r\nHost: a\r\nConnection: closed", true),
    ("HTTP/1.0\r\nHost: a", false), ("HTTP/1.0\r\nConnection: Keep-Alive", true),
    ("HTTP/1.0\r\nConnection: keep-alive, close", false),
  ])
  func keepAlive(_ text: String, _ expected: Bool) throws {
    #expect(try head("GET / \(text)\r\n\r\n")?.keepAlive == expected)
  }

  @Test func expectIsIgnoredIn10() throws {
    let fields = "Expect: 100-continue\r\nContent-Length: 1\r\n\r\n"
    #expect(try head("POST / HTTP/1.1\r\nHost: a\r\n" + fields)?.expectsContinue == true)
    #expect(try head("POST / HTTP/1.0\r\n" + fields)?.expectsContinue == false)
  }

  @Test func absoluteTargetReplacesHost() throws {
    let head = try #require(try head("GET http://b:1/ HTTP/1.1\r\nHost: a\r\n\r\n"))
    #expect(head.fields[.host] == "b:1")
    #expect(head.target == .absolute(scheme: "http", authority: "b:1", path: "/", query: nil))
  }

  @Test func fieldsKeepOrderAndBytes() throws {
    let head = try #require(try head("GET / HTTP/1.1\r\nHost: a\r\nX-B:  1 2 \r\nx-b: 3\r\nLong-Name-Over-Fifteen: v\r\n\r\n"))
    #expect(head.fields.map(\.name.rawName) == ["host", "x-b", "x-b", "long-name-over-fifteen"])
    let name = try #require(HTTPField.Name("X-B"))
    #expect(head.fields[values: name] == ["1 2", "3"])
    #expect(head.fields.count == 4)
  }

  @Test func refusalIsFinal() {
    var parser = RequestParser()
    var position = 0
    let bad = Array("GET / HTTP/3.0\r\n".utf8)
    #expect(throws: RequestError.unsupportedVersion) { try parser.next(in: bad, at: &position) }
    let good = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    position = 0
    #expect(throws: RequestError.unsupportedVersion) { try parser.next(in: good, at: &position) }
  }

  @Test func randomMutationsNeverTrapAndAgree() {
    var generator = SplitMix(state: 42)
    let seeds = goodRequests + badRequests
    for _ in 0..<4000 {
      var bytes = seeds[Int(generator.next() % UInt64(seeds.count))].bytes
      guard !bytes.isEmpty, bytes.count < 400 else { continue }
      for _ in 0...(generator.next() % 3) {
        let index = Int(generator.next() % UInt64(bytes.count))
        switch generator.next() % 3 {
        case 0: bytes[index] = UInt8(truncatingIfNeeded: generator.next())
        case 1: bytes.insert(UInt8(truncatingIfNeeded: generator.next()), at: index)
        default: bytes.removeSubrange(index...min(index + 2, bytes.count - 1))
        }
        if bytes.isEmpty { break }
      }
      #expect(verdict(bytes, pieces: max(bytes.count, 1)) == verdict(bytes, pieces: 1, dropping: true), "\(bytes)")
    }
  }

  /// The result of a scan of the whole input, in the format of ``verdict(_:pieces:dropping:)``.
  @Test(arguments: goodRequests + badRequests)
  func aScanFindsTheHeadsThatTheParserFinds(_ example: RequestCase) {
    var scanning = RequestParser()
    var reading = RequestParser()
    var scanned = 0
    var read = 0
    example.bytes.withUnsafeBufferPointer { bytes in
      while true {
        var head: RequestHead?
        var refusal: RequestError?
        do throws(RequestError) {
          loop: while true {
            switch try reading.next(in: example.bytes, at: &read) {
            case .head(let found):
              head = found
              break loop
            case .needMore: break loop
            case .body, .end: continue
            }
          }
        } catch {
          refusal = error
        }
        do throws(RequestError) {
          let summary = try scanning.scan(bytes, at: &scanned)
          #expect(refusal == nil && (summary == nil) == (head == nil))
          guard let summary, let head else { return }
          #expect(try scanning.head(in: bytes, summary) == head)
          #expect(summary.framing == head.framing && summary.keepAlive == head.keepAlive && summary.version == head.version)
          #expect((summary.method == .get) == (head.method == .get) && (summary.method == .head) == (head.method == .head))
          guard head.framing == .none else { return }
          #expect(scanned == read)
        } catch {
          #expect(refusal == error)
          return
        }
      }
    }
  }
}

/// A deterministic sequence, so that failures are reproducible.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
