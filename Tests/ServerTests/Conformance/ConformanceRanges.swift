private let data = ConformanceSite.data
private let whole: [ConformanceCase.Expected] = [.init(200, data, ["content-range": "-", "accept-ranges": "bytes"])]

private func part(_ name: String, _ value: String, _ text: String, _ place: String, _ more: String...) -> ConformanceCase {
  let lines = (["Range: \(value)"] + more).map { $0 + "\r\n" }.joined()
  return .init(
    "9110 §14.2", name, "GET /data.bin HTTP/1.1\r\nHost: a\r\n\(lines)\r\n",
    [
      .init(
        206, text,
        [
          "content-range": "bytes \(place)/1000", "etag": "<tag>", "content-type": "application/octet-stream",
          "cache-control": "no-cache", "last-modified": "*",
        ])
    ])
}

private func ignored(_ section: String, _ name: String, _ value: String, _ more: String...) -> ConformanceCase {
  let lines = (["Range: \(value)"] + more).map { $0 + "\r\n" }.joined()
  return .init(section, name, "GET /data.bin HTTP/1.1\r\nHost: a\r\n\(lines)\r\n", whole)
}

private func unsatisfiable(_ name: String, _ value: String) -> ConformanceCase {
  .init("9110 §15.5.17", name, ask("GET /data.bin", "Range: \(value)"), [.init(416, nil, ["content-range": "bytes */1000"])])
}

private func several(_ name: String, _ value: String, length: Int) -> ConformanceCase {
  .init(
    "9110 §15.3.7.2", name, ask("GET /data.bin", "Range: \(value)"),
    [.init(206, nil, ["content-range": "-", "content-type": "*", "content-length": "\(length)"])])
}

/// `Range` and `If-Range`.
let rangeCases: [ConformanceCase] = [
  part("first bytes", "bytes=0-9", "0123456789", "0-9"),
  part("one byte", "bytes=5-5", "5", "5-5"),
  part("the last byte", "bytes=999-999", "9", "999-999"),
  part("to the end", "bytes=995-", "56789", "995-999"),
  part("beyond the end", "bytes=995-2000", "56789", "995-999"),
  part("far beyond the end", "bytes=995-99999999999999999999999999", "56789", "995-999"),
  part("everything", "bytes=0-", data, "0-999"),
  part("last bytes", "bytes=-5", "56789", "995-999"),
  part("more last bytes than there are", "bytes=-2000", data, "0-999"),
  part("more last bytes than an integer holds", "bytes=-99999999999999999999999999", data, "0-999"),
  part("last bytes of 2^64 - 1", "bytes=-18446744073709551615", data, "0-999"),
  part("unit in capitals", "BYTES=0-1", "01", "0-1"),
  part("blanks in the list", "bytes= 0-1 ", "01", "0-1"),
  part("empty members", "bytes=,0-1,,", "01", "0-1"),
  part("zeros before", "bytes=000-0001", "01", "0-1"),
  part("overlapping become one", "bytes=0-5,3-9", "0123456789", "0-9"),
  part("adjacent become one", "bytes=0-4,5-9", "0123456789", "0-9"),
  part("adjacent in the other order become one", "bytes=5-9,0-4", "0123456789", "0-9"),
  part("one of two lies beyond", "bytes=0-1,5000-6000", "01", "0-1"),
  part("the same twice", "bytes=0-1,0-1", "01", "0-1"),
  part("coding asked for too", "bytes=0-1", "01", "0-1", "Accept-Encoding: gzip"),
  part("If-Range names the tag", "bytes=0-1", "01", "0-1", "If-Range: <tag>"),
  part("If-Range names the date", "bytes=0-1", "01", "0-1", "If-Range: Sun, 06 Nov 1994 08:49:37 GMT"),
  part("If-Range names the date as asctime", "bytes=0-1", "01", "0-1", "If-Range: Sun Nov  6 08:49:37 1994"),
  part("If-None-Match names another", "bytes=0-1", "01", "0-1", "If-None-Match: \"x\""),
  part("If-Match names it", "bytes=0-1", "01", "0-1", "If-Match: <tag>"),
  several("two parts", "bytes=0-0,2-2", length: 262),
  several("three parts", "bytes=0-0,2-2,4-4", length: 374),
  several("a part and a suffix", "bytes=0-0,-1", length: 266),
  several("parts in the other order", "bytes=2-2,0-0", length: 262),
  several("sixteen parts", "bytes=\((10..<26).map { "\($0 * 2)-\($0 * 2)" }.joined(separator: ","))", length: 1862),
  ignored("9110 §14.2", "seventeen parts", "bytes=\((0..<17).map { "\($0 * 2)-\($0 * 2)" }.joined(separator: ","))"),
  ignored("9110 §17.15", "more than twice the whole", "bytes=0-,0-,0-"),
  ignored("9110 §17.15", "ten thousand parts", "bytes=0-0\(",0-0" * 10_000)"),
  ignored("9110 §14.1", "other unit", "items=0-1"),
  ignored("9110 §14.1", "no unit", "0-1"),
  ignored("9110 §14.1", "no equals sign", "bytes 0-1"),
  ignored("9110 §14.1", "blank before the equals sign", "bytes =0-1"),
  ignored("9110 §14.1.1", "no range", "bytes="),
  ignored("9110 §14.1.1", "dash alone", "bytes=-"),
  ignored("9110 §14.1.1", "number alone", "bytes=5"),
  ignored("9110 §14.1.1", "inverted", "bytes=5-4"),
  ignored("9110 §14.1.1", "one of two is inverted", "bytes=0-1,5-4"),
  ignored("9110 §14.1.1", "two dashes", "bytes=--1"),
  ignored("9110 §14.1.1", "three numbers", "bytes=0-1-2"),
  ignored("9110 §14.1.1", "signed", "bytes=+0-1"),
  ignored("9110 §14.1.1", "hexadecimal", "bytes=0x0-0x1"),
  ignored("9110 §14.1.1", "letters", "bytes=a-b"),
  ignored("9110 §14.1.1", "blank within", "bytes=0 -1"),
  ignored("9110 §14.1.1", "semicolons", "bytes=0-1;2-3"),
  ignored("9110 §14.2", "two fields", "bytes=0-1", "Range: bytes=2-3"),
  ignored("9110 §13.1.5", "If-Range names another tag", "bytes=0-1", "If-Range: \"x\""),
  ignored("9110 §13.1.5", "If-Range names it weakly", "bytes=0-1", "If-Range: W/<tag>"),
  ignored("9110 §13.1.5", "If-Range lists", "bytes=0-1", "If-Range: <tag>, <tag>"),
  ignored("9110 §13.1.5", "If-Range is any", "bytes=0-1", "If-Range: *"),
  ignored("9110 §13.1.5", "If-Range names an earlier date", "bytes=0-1", "If-Range: Sun, 06 Nov 1994 08:49:36 GMT"),
  ignored("9110 §13.1.5", "If-Range names a later date", "bytes=0-1", "If-Range: Mon, 07 Nov 1994 08:49:37 GMT"),
  ignored("9110 §13.1.5", "If-Range is broken", "bytes=0-1", "If-Range: x"),
  ignored("9110 §13.1.5", "If-Range fails before 416", "bytes=5000-", "If-Range: \"x\""),
  unsatisfiable("behind the end", "bytes=1000-"),
  unsatisfiable("behind the end, bounded", "bytes=1000-1000"),
  unsatisfiable("far behind the end", "bytes=99999999999999999999999999-"),
  unsatisfiable("2^63", "bytes=9223372036854775807-9223372036854775807"),
  unsatisfiable("2^64 - 1", "bytes=18446744073709551615-18446744073709551615"),
  unsatisfiable("no last bytes", "bytes=-0"),
  unsatisfiable("all behind the end", "bytes=1000-1001,2000-"),
  .init(
    "9110 §15.5.17", "an empty file", ask("GET /empty.txt", "Range: bytes=0-0"), [.init(416, nil, ["content-range": "bytes */0"])]
  ),
  .init("9110 §14.1.2", "last bytes of an empty file", ask("GET /empty.txt", "Range: bytes=-1"), [.init(200, "")]),
  .init(
    "9110 §14.3", "a coded form does not speak of ranges", ask("GET /page.css", "Accept-Encoding: gzip"),
    [.init(200, nil, ["accept-ranges": "-"])]),
  .init(
    "9110 §13.1.5", "If-Range names the coded form",
    ask("GET /page.css", "Range: bytes=0-3", "If-Range: <page-gz>", "Accept-Encoding: gzip"),
    [.init(200, nil, ["content-encoding": "gzip"])]),
  .init(
    "9110 §14.2", "a range of what has a coded form", ask("GET /page.css", "Range: bytes=0-3", "Accept-Encoding: gzip"),
    [.init(206, "body", ["content-encoding": "-", "etag": "<page>", "vary": "Accept-Encoding"])]),
  .init("9110 §14.2", "only for GET", ask("POST /echo", "Range: bytes=0-1"), [200]),
]
