import HTTPTypes
import Server
import Testing

@Suite struct RouterTests {
  private let router: Router<String> = {
    var router = Router<String>()
    router.add(.get, "/", "root")
    router.add(.get, "/api/network", "list")
    router.add(.delete, "/api/network", "clear")
    router.add(.get, "/api/network/{id}", "row")
    router.add(.get, "/api/network/export", "export")
    router.add(.post, "/api/network/{row}/replay", "replay")
    router.add(.get, "/a/{x}/b", "capture")
    router.add(.get, "/a/lit/c", "literal")
    return router
  }()

  private func outcome(_ method: HTTPRequest.Method, _ path: String) -> String {
    switch router.match(method, path) {
    case .found(let endpoint, let parameters):
      ([endpoint] + parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
    case .methodNotAllowed(let allow): "405 " + allow.map(\.rawValue).joined(separator: ",")
    case .notFound: "404"
    }
  }

  @Test(arguments: [
    (HTTPRequest.Method.get, "/", "root"), (.get, "/api/network", "list"), (.delete, "/api/network", "clear"),
    (.get, "/api/network/7", "row id=7"), (.get, "/api/network/export", "export"),
    (.get, "/api/network/a%2Fb%20c", "row id=a/b c"), (.post, "/api/network/7/replay", "replay row=7"),
    (.head, "/api/network", "list"), (.options, "/api/network", "405 DELETE,GET,HEAD"), (.post, "/api/network/7", "405 GET,HEAD"),
    (.get, "/api/network/7/replay", "405 POST"), (.get, "/api", "404"), (.get, "/api/network/", "404"),
    (.get, "/api/network//replay", "404"), (.get, "//", "404"), (.get, "*", "404"), (.get, "/api/network/%ff", "404"),
    (.get, "/api/network/%00", "404"), (.get, "/a/lit/b", "capture x=lit"), (.get, "/a/lit/c", "literal"),
    (.get, "/a/y/c", "404"),
  ])
  func matches(_ method: HTTPRequest.Method, _ path: String, _ expected: String) {
    #expect(outcome(method, path) == expected)
  }

  @Test func aDeepPathCostsNothing() {
    #expect(outcome(.get, String(repeating: "/a", count: 100_000)) == "404")
  }

  @Test func allowIsWritten() {
    #expect(Response.methodNotAllowed(allow: [.get, .head]).headers[.allow] == "GET, HEAD")
  }
}
