import Glibc

/// The fuzzers by the name under which the program is called.
private let fuzzers: [String: @Sendable ([UInt8]) -> Void] = [
  "request-parser": RequestParserFuzzer.run,
  "chunked-body": ChunkedBodyFuzzer.run,
  "range": RangeFuzzer.run,
  "accept-encoding": AcceptEncodingFuzzer.run,
  "http-date": HTTPDateFuzzer.run,
  "path": PathFuzzer.run,
  "redaction": RedactionFuzzer.run,
  "contract": ContractFuzzer.run,
  "yaml": YAMLFuzzer.run,
  "json-elements": JSONElementsFuzzer.run,
  "import": ImportFuzzer.run,
]

/// The fuzzer to run: the last path component of argument 0, so that libFuzzer's workers get it too.
private let chosen: @Sendable ([UInt8]) -> Void = {
  let name = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
  guard let fuzzer = fuzzers[name] else {
    require(false, "no fuzzer is called \(name); there are \(fuzzers.keys.sorted())")
    return { _ in }
  }
  return fuzzer
}()

/// Called by libFuzzer with one input.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  chosen(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

/// Aborts the run, which saves the input, if a property does not hold.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
  guard !condition else { return }
  let line = Array("property broken: \(message())\n".utf8)
  _ = write(2, line, line.count)
  abort()
}
