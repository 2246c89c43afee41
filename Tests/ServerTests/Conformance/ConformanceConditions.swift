private let date = "Sun, 06 Nov 1994 08:49:37 GMT"
private let before = "Sun, 06 Nov 1994 08:49:36 GMT"
private let after = "Mon, 07 Nov 1994 08:49:37 GMT"

private func when(_ section: String, _ name: String, _ status: Int, _ fields: String...) -> ConformanceCase {
  let lines = fields.map { $0 + "\r\n" }.joined()
  return .init(section, name, "GET /data.bin HTTP/1.1\r\nHost: a\r\n\(lines)\r\n", [.init(status)])
}

/// Conditional requests.
let conditionCases: [ConformanceCase] = [
  when("9110 §13.1.2", "If-None-Match names the tag", 304, "If-None-Match: <tag>"),
  when("9110 §13.1.2", "If-None-Match names it weakly", 304, "If-None-Match: W/<tag>"),
  when("9110 §13.1.2", "If-None-Match is any", 304, "If-None-Match: *"),
  when("9110 §13.1.2", "If-None-Match names another", 200, "If-None-Match: \"x\""),
  when("9110 §13.1.2", "If-None-Match lists it", 304, "If-None-Match: \"x\", <tag>"),
  when("9110 §13.1.2", "If-None-Match lists it with empty members", 304, "If-None-Match: ,, \"x\",<tag> ,"),
  when("9110 §13.1.2", "If-None-Match in two fields", 304, "If-None-Match: \"x\"", "If-None-Match: <tag>"),
  when("9110 §13.1.2", "If-None-Match with a comma in a tag", 304, "If-None-Match: \"x,y\", <tag>"),
  when("9110 §13.1.2", "If-None-Match without quotes", 200, "If-None-Match: abc"),
  when("9110 §13.1.2", "If-None-Match with an open quote", 200, "If-None-Match: \"abc"),
  when("9110 §13.1.2", "If-None-Match with a small w", 200, "If-None-Match: w/<tag>"),
  when("9110 §13.1.2", "If-None-Match empty", 200, "If-None-Match:"),
  when("9110 §13.1.2", "If-None-Match of 500 tags", 304, "If-None-Match: \("\"x\"," * 500)<tag>"),
  when("9110 §13.1.3", "If-Modified-Since the same", 304, "If-Modified-Since: \(date)"),
  when("9110 §13.1.3", "If-Modified-Since later", 304, "If-Modified-Since: \(after)"),
  when("9110 §13.1.3", "If-Modified-Since before", 200, "If-Modified-Since: \(before)"),
  when("9110 §5.6.7", "If-Modified-Since as RFC 850", 304, "If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT"),
  when("9110 §5.6.7", "If-Modified-Since as asctime", 304, "If-Modified-Since: Sun Nov  6 08:49:37 1994"),
  when("9110 §13.1.3", "If-Modified-Since no date", 200, "If-Modified-Since: yesterday"),
  when("9110 §13.1.3", "If-Modified-Since a number", 200, "If-Modified-Since: 99999999999999999999"),
  when("9110 §13.1.3", "If-Modified-Since of another zone", 200, "If-Modified-Since: Mon, 07 Nov 1994 08:49:37 CET"),
  when("9110 §13.1.3", "If-Modified-Since on a day that is none", 200, "If-Modified-Since: Mon, 31 Feb 2020 08:49:37 GMT"),
  when("9110 §13.1.3", "If-Modified-Since twice", 200, "If-Modified-Since: \(date)", "If-Modified-Since: \(date)"),
  when("9110 §13.2.2", "If-None-Match wins over If-Modified-Since", 200, "If-None-Match: \"x\"", "If-Modified-Since: \(date)"),
  when("9110 §13.2.2", "If-None-Match holds though modified since", 304, "If-None-Match: <tag>", "If-Modified-Since: \(before)"),
  when("9110 §13.1.1", "If-Match names the tag", 200, "If-Match: <tag>"),
  when("9110 §13.1.1", "If-Match lists it", 200, "If-Match: \"x\", <tag>"),
  when("9110 §13.1.1", "If-Match is any", 200, "If-Match: *"),
  when("9110 §13.1.1", "If-Match names another", 412, "If-Match: \"x\""),
  when("9110 §13.1.1", "If-Match names it weakly", 412, "If-Match: W/<tag>"),
  when("9110 §13.1.1", "If-Match is broken", 412, "If-Match: x"),
  when("9110 §13.1.4", "If-Unmodified-Since the same", 200, "If-Unmodified-Since: \(date)"),
  when("9110 §13.1.4", "If-Unmodified-Since later", 200, "If-Unmodified-Since: \(after)"),
  when("9110 §13.1.4", "If-Unmodified-Since before", 412, "If-Unmodified-Since: \(before)"),
  when("9110 §13.1.4", "If-Unmodified-Since no date", 200, "If-Unmodified-Since: x"),
  when("9110 §13.2.2", "If-Match wins over If-Unmodified-Since", 200, "If-Match: <tag>", "If-Unmodified-Since: \(before)"),
  when("9110 §13.2.2", "If-Match, then If-None-Match", 304, "If-Match: <tag>", "If-None-Match: <tag>"),
  when("9110 §13.2.2", "If-Match fails before If-None-Match", 412, "If-Match: \"x\"", "If-None-Match: <tag>"),
  when(
    "9110 §13.2.2", "If-Unmodified-Since fails before If-None-Match", 412, "If-Unmodified-Since: \(before)",
    "If-None-Match: <tag>"),
  when("9110 §13.2.2", "conditions come before the range", 304, "If-None-Match: <tag>", "Range: bytes=0-1"),
  when("9110 §13.2.2", "a failed condition comes before the range", 412, "If-Match: \"x\"", "Range: bytes=0-1"),
  when("9110 §13.2.2", "a condition comes before 416", 304, "If-None-Match: <tag>", "Range: bytes=2000-"),
  .init(
    "9110 §15.4.5", "304 repeats the fields that matter", ask("GET /page.css", "If-None-Match: <page>"),
    [
      .init(
        304, "",
        ["etag": "<page>", "vary": "Accept-Encoding", "cache-control": "no-cache", "content-type": "-", "content-encoding": "-"])
    ]),
  .init("9110 §15.4.5", "304 to HEAD", ask("HEAD /data.bin", "If-None-Match: <tag>"), [.head(304, ["etag": "<tag>"])]),
  .init("9110 §15.5.13", "412 to HEAD", ask("HEAD /data.bin", "If-Match: \"x\""), [.head(412)]),
  .init(
    "9110 §8.8.3", "the tag of another coding", ask("GET /page.css", "If-None-Match: <page>", "Accept-Encoding: gzip"),
    [.init(200, nil, ["etag": "<page-gz>"])]),
  .init(
    "9110 §8.8.3", "the tag of the coding", ask("GET /page.css", "If-None-Match: <page-gz>", "Accept-Encoding: gzip"),
    [.init(304, nil, ["etag": "<page-gz>"])]),
  .init("9110 §13.1.2", "nothing there, nothing to match", ask("GET /nothing", "If-None-Match: *"), [404]),
]
