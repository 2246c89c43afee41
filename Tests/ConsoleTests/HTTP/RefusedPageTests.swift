import Foundation
import HTTPTypes
import Server
import Support
import Testing
import Wire

@testable import Console

@Suite struct RefusedPageTests {
  /// What the parser knows about a head that it refuses.
  private func begun(_ lines: String) throws -> PartialHead? {
    var parser = RequestParser()
    let input = Array((lines.replacing("\n", with: "\r\n") + "\r\nCookie: " + String(repeating: "a", count: 70_000)).utf8)
    var position = 0
    #expect(throws: RequestError.headTooLarge) { try parser.next(in: input, at: &position) }
    return parser.partialHead(in: input, at: position)
  }

  private func answer(_ lines: String, _ status: HTTPResponse.Status = .requestHeaderFieldsTooLarge) throws -> Response {
    RefusedPage.refusal(RefusedRequest(status: status, partialHead: try begun(lines)))
  }

  private let clearing = HTTPField.Name.clearSiteData

  @Test(arguments: [
    "GET / HTTP/1.1\nAccept: text/html,application/xhtml+xml", "GET /settings?x HTTP/1.1\nSec-Fetch-Dest: document",
    "GET /settings HTTP/1.1\nHost: localhost", "GET /apis HTTP/1.1",
  ])
  func aRequestForAPageIsAnsweredWithAPage(lines: String) throws {
    let response = try answer(lines)
    #expect(response.status.code == 431 && response.headers[.contentType] == "text/html; charset=utf-8")
    #expect(response.headers[clearing] == nil && response.headers[.cacheControl] == "no-store")
    guard case .bytes(let bytes) = response.body else { return #expect(Bool(false)) }
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains(#"href="/clear-cookies""#) && text.contains(#"lang="en""#))
    #expect(!text.contains("<script") && !text.contains("style"))
  }

  @Test(arguments: [
    "GET /api/state HTTP/1.1\nAccept: */*", "GET /api HTTP/1.1", "GET /assets/js/api.js HTTP/1.1\nSec-Fetch-Dest: script",
    "GET /settings HTTP/1.1\nAccept: application/json", "GET /favicon.ico HTTP/1.1\nSec-Fetch-Dest: image",
    "POST /settings HTTP/1.1\nAccept: text/html", "DELETE /clear-cookies HTTP/1.1",
  ])
  func otherRequestsAreAnsweredWithAProblem(lines: String) throws {
    let response = try answer(lines)
    #expect(response.status.code == 431 && response.headers[.contentType] == "application/problem+json")
  }

  @Test func aRefusedRequestCanClearTheCookies() throws {
    for fetch in ["", "\nSec-Fetch-Site: same-origin", "\nSec-Fetch-Site: none"] {
      let response = try answer("GET /clear-cookies HTTP/1.1\(fetch)\nAccept: text/html")
      #expect(response.status.code == 303 && response.headers[.location] == "/")
      #expect(response.headers[clearing] == "\"cookies\"")
    }
    let foreign = try answer("GET /clear-cookies HTTP/1.1\nSec-Fetch-Site: cross-site\nAccept: text/html")
    #expect(foreign.status.code == 431 && foreign.headers[clearing] == nil)
  }

  @Test func onlyABrowsersOwnPageClearsCookies() {
    func clearing(_ site: String?, _ destination: String?) -> Response {
      var fields = HTTPFields()
      fields[.secFetchSite] = site
      fields[.secFetchDest] = destination
      return RefusedPage.clearing(fields)
    }
    #expect(clearing("same-origin", "document").headers[.clearSiteData] == "\"cookies\"")
    #expect(clearing("none", "document").status.code == 303)
    for (site, destination) in [
      ("cross-site", "document"), ("same-site", "document"), ("same-origin", "image"), ("same-origin", nil), (nil, nil),
    ] {
      let response = clearing(site, destination)
      #expect(response.status.code == 200 && response.headers[.clearSiteData] == nil)
    }
  }

  @Test func aBadRequestForAPageIsAnsweredWithAPage() throws {
    let html = try begun("GET / HTTP/1.1\nAccept: text/html")
    let response = RefusedPage.refusal(RefusedRequest(status: .badRequest, partialHead: html))
    #expect(response.status.code == 400 && response.headers[.contentType] == "text/html; charset=utf-8")
    for refused in [
      RefusedRequest(status: .badRequest), RefusedRequest(status: .badRequest, partialHead: try begun("GET / HTTP/1.1")),
      RefusedRequest(status: .requestTimeout, partialHead: html), RefusedRequest(status: .requestHeaderFieldsTooLarge),
    ] {
      #expect(RefusedPage.refusal(refused).headers[.contentType] == "application/problem+json")
    }
  }
}
