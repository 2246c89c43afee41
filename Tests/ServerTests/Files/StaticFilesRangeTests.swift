import FoundationEssentials
import Glibc
import HTTPTypes
import Logging
import Reactor
import Server
import Support
import Testing

@Suite(.timeLimit(.minutes(1))) struct StaticFilesRangeTests {
  private final class Folder: Sendable {
    let root = FileManager.default.temporaryDirectory.appending(path: "range-\(UUID().uuidString)")
    /// Larger than files in memory, and than what the kernel buffers before the client reads.
    let large: [UInt8] = {
      let part = (0..<65_539).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 9) }
      return (0..<200).reduce(into: []) { bytes, _ in bytes += part }
    }()

    init() throws {
      try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
      try Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 7) }).write(to: root.appending(path: "middle.bin"))
      try Data(large).write(to: root.appending(path: "large.bin"))
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    /// The clock stands still, so that files are checked only if they have to be.
    func files() throws -> StaticFiles {
      let start = ContinuousClock.now
      return try StaticFiles(root: root.path, logger: Logger(label: "test")) { start }
    }

    func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: root.appending(path: name))) }
  }

  private static func respond(_ files: StaticFiles) -> @Sendable (Request) async -> Response {
    { files.response(for: $0) ?? .text("none", status: .notFound) }
  }

  /// The parts of a `multipart/byteranges` body: what `Content-Range` says, and the bytes.
  private func parts(_ answer: RawClient.Answer) throws -> [(String, [UInt8])] {
    let type = try #require(answer["content-type"])
    #expect(type.hasPrefix("multipart/byteranges; boundary="))
    let boundary = try #require(type.split(separator: "=").last)
    var rest = answer.body[...]
    var found: [(String, [UInt8])] = []
    func line() -> String {
      let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
      defer { rest = rest[end...].dropFirst() }
      return String(decoding: rest[..<end], as: UTF8.self)
    }
    var delimiter = line()
    while delimiter == "--\(boundary)\r" {
      #expect(line() == "Content-Type: application/octet-stream\r")
      let range = line().dropFirst(15).dropLast()
      #expect(line() == "\r")
      let numbers = range.dropFirst(6).split(separator: "/")[0].split(separator: "-").compactMap { Int($0) }
      let count = numbers[1] - numbers[0] + 1
      found.append((String(range), Array(rest.prefix(count))))
      rest = rest.dropFirst(count)
      #expect(line() == "\r")
      delimiter = line()
    }
    #expect(delimiter == "--\(boundary)--\r" && rest.isEmpty)
    return found
  }

  @Test(arguments: ["middle.bin", "large.bin"])
  func severalPartsHaveTheirBytes(_ name: String) async throws {
    let folder = try Folder()
    let content = try folder.bytes(name)
    try await RunningServer.with(respond: Self.respond(try folder.files())) { running in
      let answer = try await RawClient.talk(running.port) { client in
        client.send(get("/\(name)", "Range: bytes=5-9, 100-150000 ,-3, 160000-160000\r\n"))
        return client.answer()
      }
      #expect(answer.status == 206 && answer.isWhole)
      let ranges = [5..<10, 100..<150_001, (content.count - 3)..<content.count, 160_000..<160_001]
      let found = try parts(answer)
      #expect(found.map(\.0) == ranges.map { "bytes \($0.lowerBound)-\($0.upperBound - 1)/\(content.count)" })
      for (part, range) in zip(found, ranges) { #expect(part.1 == Array(content[range])) }
    }
  }

  @Test(arguments: ["middle.bin", "large.bin"])
  func onePartHasItsBytesAndKeepsTheConnection(_ name: String) async throws {
    let folder = try Folder()
    let content = try folder.bytes(name)
    try await RunningServer.with(respond: Self.respond(try folder.files())) { running in
      try await RawClient.talk(running.port) { client in
        for range in [0..<1, 70_000..<199_999, 131_072..<131_073, 0..<content.count] {
          client.send(get("/\(name)", "Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)\r\n"))
          let answer = client.answer()
          #expect(answer.status == 206 && answer.body == Array(content[range]))
          #expect(answer["content-range"] == "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)")
        }
        client.send("HEAD /\(name) HTTP/1.1\r\nHost: a\r\n\r\n" + get("/\(name)"))
        #expect(client.answer(hasBody: false)["content-length"] == "\(content.count)")
        #expect(client.answer().body == content)
      }
    }
  }

  @Test func aLargeFileThatShrinksWhileItIsSentBreaksTheConnection() async throws {
    let folder = try Folder()
    try await RunningServer.with(respond: Self.respond(try folder.files())) { running in
      let path = folder.root.path + "/large.bin"
      try await RawClient.talk(running.port, receiveBuffer: 4096) { client in
        client.send(get("/large.bin"))
        #expect(client.read(through: "\r\n\r\n") != nil)
        #expect(truncate(path, 10) == 0)
        #expect(client.rest().count < folder.large.count)
      }
      try await RawClient.talk(running.port) { client in
        client.send(get("/large.bin"))
        let answer = client.answer()
        #expect(answer.status == 200 && answer.body == Array(folder.large[..<10]))
      }
    }
  }

  @Test func aLargeFileThatIsReplacedIsSentAsItIsNow() async throws {
    let folder = try Folder()
    let files = try folder.files()
    try await RunningServer.with(respond: Self.respond(files)) { running in
      try await RawClient.talk(running.port) { client in
        client.send(get("/large.bin"))
        let first = client.answer()
        #expect(first.body == folder.large)
        let other = [UInt8](folder.large.reversed())
        try Data(other).write(to: folder.root.appending(path: "large.bin"), options: .atomic)
        client.send(get("/large.bin"))
        let second = client.answer()
        #expect(second.body == other && second["etag"] != first["etag"])
      }
    }
  }
}
