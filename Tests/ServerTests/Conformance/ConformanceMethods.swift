/// Methods, of files and of routes.
let methodCases: [ConformanceCase] = [
  .init(
    "9110 §9.3.1", "GET", ask("GET /data.bin"),
    [
      .init(
        200, ConformanceSite.data,
        [
          "content-type": "application/octet-stream", "last-modified": "Sun, 06 Nov 1994 08:49:37 GMT", "etag": "<tag>",
          "cache-control": "no-cache", "accept-ranges": "bytes",
        ])
    ]),
  .init(
    "9110 §9.3.2", "HEAD has the fields of GET", ask("HEAD /data.bin"),
    [
      .head(
        200, ["content-length": "1000", "content-type": "application/octet-stream", "etag": "<tag>", "accept-ranges": "bytes"])
    ]),
  .init("9110 §9.3.2", "HEAD of what is not there", ask("HEAD /nothing"), [.head(404)]),
  .init(
    "9110 §9.3.2", "HEAD of the coded form", ask("HEAD /page.css", "Accept-Encoding: gzip"),
    [.head(200, ["content-encoding": "gzip", "etag": "<page-gz>", "vary": "Accept-Encoding"])]),
  .init(
    "9110 §9.3.2", "HEAD with a range is whole", ask("HEAD /data.bin", "Range: bytes=0-1"),
    [.head(200, ["content-length": "1000", "content-range": "-"])]),
  .init("9110 §9.3.3", "POST to a file", ask("POST /data.bin"), [.init(405, nil, ["allow": "GET, HEAD"])]),
  .init(
    "9110 §9.3.4", "PUT to a file", ask("PUT /data.bin", "Content-Length: 1", body: "x"),
    [.init(405, nil, ["allow": "GET, HEAD"])]),
  .init("9110 §9.3.5", "DELETE of a file", ask("DELETE /data.bin"), [.init(405, nil, ["allow": "GET, HEAD"])]),
  .init("5789 §2", "PATCH of a file", ask("PATCH /data.bin", "Content-Length: 1", body: "x"), [405]),
  .init("9110 §9.3.7", "OPTIONS of a file", ask("OPTIONS /data.bin"), [.init(405, nil, ["allow": "GET, HEAD"])]),
  .init("9110 §9.3.7", "OPTIONS of the server", ask("OPTIONS *"), [.init(204, "", ["allow": "*", "content-length": "-"])]),
  .init("9110 §9.3.8", "TRACE", ask("TRACE /data.bin"), [405]),
  .init("9110 §9.3.8", "TRACE gives nothing back", ask("TRACE /data.bin", "Cookie: secret"), [.init(405, "")]),
  .init("9110 §9.3.8", "TRACK", ask("TRACK /data.bin"), [405]),
  .init("9110 §9.3.6", "CONNECT", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", [501], .closed),
  .init("9110 §9.1", "unknown method", ask("FOO /data.bin"), [405]),
  .init("9110 §9.1", "methods differ by case", ask("Get /data.bin"), [405]),
  .init("9110 §9.1", "a method of 300", ask("\("M" * 300) /data.bin"), [405]),
  .init("9110 §13.2.1", "conditions do not count where the method fails", ask("POST /data.bin", "If-Match: \"x\""), [405]),
  .init(
    "9110 §15.3.5", "204 has no length", ask("GET /no-content"),
    [.init(204, "", ["content-length": "-", "transfer-encoding": "-"])]),
  .init(
    "9110 §15.5.5", "404", ask("GET /nothing"), [.init(404, "404 Not Found\n", ["content-type": "text/plain; charset=utf-8"])]),
]
