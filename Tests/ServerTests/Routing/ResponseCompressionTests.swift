import HTTPTypes
import Reactor
import Server
import Testing

@Suite struct ContentCodingTests {
  private func request(_ codings: String?) throws -> Request {
    var fields = HTTPFields()
    fields[.acceptEncoding] = codings
    let peer = try #require(SocketAddress(host: "127.0.0.1", port: 1))
    return Request(method: .get, path: "/", headers: fields, peer: peer)
  }

  private func size(_ response: Response) -> Int {
    guard case .bytes(let bytes) = response.body else { return -1 }
    return bytes.count
  }

  private let large = [UInt8](repeating: 0x20, count: 1024)

  @Test func compressesWhatGains() throws {
    var response = Response.json(large)
    response.headers[.eTag] = "\"a\""
    response.headers[.vary] = "Cookie"
    let packed = response.compressed(for: try request("gzip"))
    #expect(packed.headers[.contentEncoding] == "gzip" && size(packed) < 100)
    #expect(packed.headers[.eTag] == "W/\"a\"" && packed.headers[.vary] == "Cookie, Accept-Encoding")
    for codings in [nil, "", "br", "gzip;q=0"] {
      let plain = response.compressed(for: try request(codings))
      #expect(plain.headers[.contentEncoding] == nil && size(plain) == 1024)
      #expect(plain.headers[.eTag] == "\"a\"" && plain.headers[.vary] == "Cookie, Accept-Encoding")
    }
  }

  @Test func leavesTheRestAlone() throws {
    var coded = Response.json(large)
    coded.headers[.contentEncoding] = "br"
    let image = Response(status: .ok, headers: [.contentType: "image/png"], body: .bytes(large))
    let bare = Response(status: .ok, body: .bytes(large))
    for response in [.json(Array(large.dropLast())), coded, image, bare, Response(status: .noContent)] {
      let same = response.compressed(for: try request("gzip"))
      #expect(same.headers == response.headers && size(same) == size(response))
    }
  }
}
