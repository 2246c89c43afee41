@testable import OpenAPI

/// Whatever a schema and a body are, the comparison ends, names valid pointers, and says the same a second time.
enum ContractFuzzer {
  private static let head = Array(
    ##"{"openapi":"3.1.0","paths":{"/a":{"post":{"requestBody":{"content":{"a/json":{},"application/json":{"schema":"##.utf8)
  private static let headOf30 = Array(
    ##"{"openapi":"3.0.3","paths":{"/a":{"post":{"requestBody":{"content":{"a/json":{},"application/json":{"schema":"##.utf8)
  private static let tail = Array(##"}}},"responses":{}}}}}"##.utf8)

  /// Uses what is before the first line feed as the schema, or as the whole document, and the rest as the body.
  static func run(_ bytes: [UInt8]) {
    let end = bytes.firstIndex(of: 0x0a) ?? bytes.endIndex
    let schema = Array(bytes[..<end])
    let body = Array(bytes[end...].dropFirst())
    for document in [head + schema + tail, headOf30 + schema + tail, schema] {
      guard let contract = try? APIContract(parsing: document) else { continue }
      let exchange = ObservedExchange(
        method: "POST", path: "/a", query: String(decoding: body, as: UTF8.self),
        requestHeaders: [("Content-Type", "application/json"), ("X-A", String(decoding: body, as: UTF8.self))],
        requestBody: body, status: 200, responseHeaders: [("Content-Type", "application/json")], responseBody: body)
      let drifts = contract.differences(in: exchange)
      require(drifts.count <= 50, "\(drifts.count) differences")
      require(drifts == contract.differences(in: exchange), "other differences the second time")
    }
  }
}
