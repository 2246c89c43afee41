import HTTPTypes
import Testing

@testable import Client

@Suite struct PreparedRequestTests {
  @Test(
    arguments: [
      "", "https://", "http://127.0.0.1/", "HTTP://127.0.0.1/", "ftp://127.0.0.1/", "https:///a", "https://?a", "https://:443/",
      "127.0.0.1/", "//127.0.0.1/", "file:///etc/passwd",
      "https://127.0.0.1/a b", "https://127.0.0.1/\u{e9}", "https://127.0.0.1/\r\nX: 1", "https://127.0.0.1/\0",
      "https://127.0.0.1/#f",
    ])
  func refusesWhatIsNoWebAddress(url: String) {
    #expect(throws: TransportError.invalidURL) { try PreparedRequest(TransportRequest(method: .get, url: url)) }
  }

  @Test func takesPlainTextOnlyWhereItIsAllowed() throws {
    var request = TransportRequest(method: .get, url: "http://127.0.0.1/a")
    #expect(throws: TransportError.invalidURL) { try PreparedRequest(request) }
    request.allowsPlainText = true
    #expect(try PreparedRequest(request).url == "http://127.0.0.1/a")
    for url in ["ftp://127.0.0.1/", "http:///a", "https:///a", "file:///etc/passwd"] {
      request.url = url
      #expect(throws: TransportError.invalidURL) { try PreparedRequest(request) }
    }
  }

  @Test func takesAnyCaseOfTheScheme() throws {
    #expect(try PreparedRequest(TransportRequest(method: .get, url: "HTTPS://127.0.0.1")).url == "HTTPS://127.0.0.1")
  }

  @Test func keepsOrderAndLeavesOutWhatIsTheTransports() throws {
    var headers = HTTPFields()
    headers.append(HTTPField(name: HTTPField.Name("X-B") ?? .accept, value: "2"))
    headers.append(HTTPField(name: .contentLength, value: "7"))
    headers.append(HTTPField(name: HTTPField.Name("X-A") ?? .accept, value: ""))
    headers.append(HTTPField(name: .acceptEncoding, value: "br"))
    headers.append(HTTPField(name: .transferEncoding, value: "chunked"))
    headers.append(HTTPField(name: .accept, value: "application/json"))
    let prepared = try PreparedRequest(TransportRequest(method: .get, url: "https://h/", headers: headers))
    #expect(prepared.headerLines == ["X-B: 2", "X-A;", "Accept: application/json", "Content-Type:", "Expect:", "User-Agent:"])
  }

  @Test func saysThatAnAbsentBodyIsEmptyWhereOneIsExpected() throws {
    #expect(try PreparedRequest(TransportRequest(method: .post, url: "https://h/")).body == [])
    #expect(try PreparedRequest(TransportRequest(method: .get, url: "https://h/")).body == nil)
    #expect(try PreparedRequest(TransportRequest(method: .delete, url: "https://h/")).body == nil)
    #expect(throws: TransportError.invalidURL) {
      try PreparedRequest(TransportRequest(method: .head, url: "https://h/", body: [1]))
    }
  }
}
