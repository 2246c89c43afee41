private func old(_ fields: String = "", path: String = "/echo") -> String { "GET \(path) HTTP/1.0\r\n\(fields)\r\n" }

/// Keep-alive, pipelining and `Expect`.
let connectionCases: [ConformanceCase] = [
  .init("9112 §9.3", "1.1 is kept", ask("GET /echo"), [.init(200, nil, ["connection": "-"])]),
  .init("9112 §9.6", "close", ask("GET /echo", "Connection: close"), [.init(200, nil, ["connection": "close"])], .closed),
  .init("9112 §9.6", "close in capitals", ask("GET /echo", "connection: CLOSE"), [200], .closed),
  .init("9112 §9.6", "close in a list", ask("GET /echo", "Connection: x , close"), [200], .closed),
  .init("9112 §9.6", "close in a second field", ask("GET /echo", "Connection: x", "Connection: close"), [200], .closed),
  .init("9112 §9.6", "close and keep-alive", ask("GET /echo", "Connection: keep-alive, close"), [200], .closed),
  .init("9112 §9.6", "a word that begins like close", ask("GET /echo", "Connection: closed"), [200]),
  .init("9112 §9.3", "keep-alive in 1.1", ask("GET /echo", "Connection: keep-alive"), [200]),
  .init("9112 §9.3", "1.0 is closed", old(), [.init(200, nil, ["connection": "close"])], .closed),
  .init("9112 §9.3", "keep-alive in 1.0", old("Connection: keep-alive\r\n"), [.init(200, nil, ["connection": "keep-alive"])]),
  .init("9112 §9.3", "Keep-Alive in 1.0", old("Connection: Keep-Alive\r\n"), [200]),
  .init("9112 §9.3", "keep-alive and close in 1.0", old("Connection: keep-alive, close\r\n"), [200], .closed),
  .init(
    "9112 §7", "a stream in 1.1 is chunked", ask("GET /stream"),
    [.init(200, "onetwo", ["transfer-encoding": "chunked", "content-length": "-"])]),
  .init(
    "9112 §6.1", "a stream in 1.0 ends with the connection", old("Connection: keep-alive\r\n", path: "/stream"),
    [.init(200, "onetwo", ["transfer-encoding": "-"])], .closed),
  .init("9112 §6.3", "a stream to HEAD", ask("HEAD /stream"), [.head(200)]),
  .init(
    "9112 §9.3.2", "two", ask("GET /echo/1") + ask("GET /echo/2"), [.init(200, "GET /echo/1 - "), .init(200, "GET /echo/2 - ")]),
  .init(
    "9112 §9.3.2", "sixteen", (1...16).map { ask("GET /echo/\($0)") }.joined(), (1...16).map { .init(200, "GET /echo/\($0) - ") }),
  .init(
    "9112 §9.3.2", "bodies between",
    ask("POST /echo", "Content-Length: 3", body: "abc") + ask("GET /echo")
      + ask("POST /echo", "Transfer-Encoding: chunked", body: "1\r\nz\r\n0\r\n\r\n"),
    [.init(200, "POST /echo - abc"), .init(200, "GET /echo - "), .init(200, "POST /echo - z")]),
  .init(
    "9112 §9.3.2", "HEAD between", ask("HEAD /data.bin") + ask("GET /echo"),
    [.head(200, ["content-length": "1000"]), .init(200, "GET /echo - ")]),
  .init(
    "9112 §9.3.2", "a large answer between", ask("GET /large") + ask("GET /echo"),
    [.init(200, nil, ["content-length": "300000"]), .init(200, "GET /echo - ")]),
  .init(
    "9112 §9.3.2", "204 and 304 between", ask("GET /no-content") + ask("GET /data.bin", "If-None-Match: *") + ask("GET /echo"),
    [204, 304, 200]),
  .init("9112 §9.3.2", "nothing behind close", ask("GET /echo", "Connection: close") + ask("GET /echo/2"), [200], .closed),
  .init("9112 §9.3.2", "good, then bad", ask("GET /echo") + "GET  HTTP/1.1\r\n" + ask("GET /echo"), [200, 400], .closed),
  .init(
    "9112 §9.3.2", "a short length makes the rest a request", ask("POST /echo", "Content-Length: 1", body: "ab") + ask("GET /x"),
    [.init(200, "POST /echo - a"), .init(404)]),
  .init(
    "9112 §9.3.2", "a shorter length makes the rest garbage", ask("POST /echo", "Content-Length: 1", body: "a{\r\n\r\n"),
    [200, 400], .closed),
  .init(
    "9112 §9.3.2", "smuggled length and chunks",
    ask("POST /echo", "Content-Length: 6", "Transfer-Encoding: chunked", body: "0\r\n\r\nG") + ask("GET /echo"), [400], .closed),
  .init("9112 §9.6", "answered though the client says no more", ask("GET /echo"), [.init(200, "GET /echo - ")], .halfClosed),
  .init("9112 §9.6", "large, answered though the client says no more", ask("GET /large"), [200], .halfClosed),
  .init(
    "9112 §9.6", "two, answered though the client says no more", ask("GET /echo") + ask("GET /echo/2"), [200, 200], .halfClosed),
  .init(
    "9110 §10.1.1", "expect, body not sent yet", ask("POST /echo", "Content-Length: 3", "Expect: 100-continue"), [100, 400],
    .halfClosed),
  .init("9110 §10.1.1", "expect without a body", ask("POST /echo", "Expect: 100-continue"), [.init(200, "POST /echo - ")]),
  .init(
    "9110 §10.1.1", "expect, and nobody reads", ask("POST /ignore", "Content-Length: 3", "Expect: 100-continue"),
    [.init(200, "ignored")], .halfClosed),
  .init(
    "9110 §10.1.1", "expect, body too large", ask("POST /echo", "Content-Length: 200000", "Expect: 100-continue"), [413], .closed),
  .init(
    "9110 §10.1.1", "expect in 1.0 is no matter", "POST /echo HTTP/1.0\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc",
    [.init(200, "POST /echo - abc")], .closed),
  .init(
    "9110 §7.8", "an upgrade is not taken",
    ask("GET /echo", "Connection: Upgrade", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"),
    [.init(200, nil, ["upgrade": "-"])]),
  .init(
    "9110 §7.8", "a web socket is not taken",
    ask("GET /echo", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"), [200]),
]
