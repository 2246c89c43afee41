private func coded(_ name: String, _ value: String?, _ isCoded: Bool) -> ConformanceCase {
  let fields =
    isCoded
    ? ["content-encoding": "gzip", "etag": "<page-gz>", "vary": "Accept-Encoding"]
    : ["content-encoding": "-", "etag": "<page>", "vary": "Accept-Encoding"]
  let line = value.map { "Accept-Encoding:\($0)\r\n" } ?? ""
  return .init(
    "9110 §12.5.3", name, "GET /page.css HTTP/1.1\r\nHost: a\r\n\(line)\r\n",
    [.init(200, isCoded ? nil : ConformanceSite.page, fields)])
}

private func refused(_ name: String, _ path: String, _ value: String) -> ConformanceCase {
  .init("9110 §15.5.7", name, ask("GET \(path)", "Accept-Encoding: \(value)"), [.init(406, nil, ["vary": "Accept-Encoding"])])
}

/// `Accept-Encoding`.
let codingCases: [ConformanceCase] = [
  coded("no field", nil, false),
  coded("empty field", "", false),
  coded("gzip", " gzip", true),
  coded("gzip in capitals", " GZIP", true),
  coded("the old name", " x-gzip", true),
  coded("among others", " br, deflate, gzip, zstd", true),
  coded("with a weight", " gzip;q=0.5", true),
  coded("with blanks", " gzip ; q=0.001", true),
  coded("refused", " gzip;q=0", false),
  coded("refused with decimals", " gzip;q=0.000", false),
  coded("any", " *", true),
  coded("any refused, identity taken", " *;q=0, identity", false),
  coded("any but gzip", " *, gzip;q=0", false),
  coded("identity preferred", " gzip;q=0.3, identity;q=0.9", false),
  coded("identity refused, gzip taken", " identity;q=0, gzip", true),
  coded("identity refused, any taken", " identity;q=0, *", true),
  coded("any refused but gzip", " gzip;q=0.1, *;q=0", true),
  coded("others only", " br, deflate", false),
  coded("a name that holds gzip", " notgzip", false),
  coded("weight too large", " gzip;q=1.5", false),
  coded("weight negative", " gzip;q=-1", false),
  coded("weight of four decimals", " gzip;q=0.0001", false),
  coded("weight no number", " gzip;q=x", false),
  coded("in two fields", " br\r\nAccept-Encoding: gzip", true),
  refused("identity refused, nothing else", "/page.css", "identity;q=0"),
  refused("all refused", "/page.css", "*;q=0"),
  refused("all refused by name", "/page.css", "gzip;q=0, identity;q=0"),
  refused("only what is not there", "/page.css", "br, identity;q=0"),
  refused("identity refused where there is no other", "/data.bin", "gzip, identity;q=0"),
  .init(
    "9110 §12.5.3", "a type that does not gain", ask("GET /data.bin", "Accept-Encoding: gzip"),
    [.init(200, ConformanceSite.data, ["content-encoding": "-"])]),
  .init(
    "9110 §12.5.3", "an empty file", ask("GET /empty.txt", "Accept-Encoding: gzip"), [.init(200, "", ["content-encoding": "-"])]),
  .init(
    "9110 §12.5.3", "a range where identity is refused",
    ask("GET /page.css", "Accept-Encoding: gzip, identity;q=0", "Range: bytes=0-1"),
    [.init(200, nil, ["content-encoding": "gzip"])]),
]
