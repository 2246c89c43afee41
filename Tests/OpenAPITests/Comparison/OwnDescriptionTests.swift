import Foundation
import Testing

@testable import OpenAPI

/// The reference backend's own description, compared with answers of it.
@Suite struct OwnDescriptionTests {
  private static let id = "6be0a1f4-2f0f-4c0f-8a43-2a3b1d0f7c22"
  private static let device = [(name: "X-Device-ID", value: "device-1"), (name: "Content-Type", value: "application/json")]

  private func contract() throws -> APIContract {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Baselines/swagger.json")
    return try APIContract(parsing: Array(Data(contentsOf: file)))
  }

  private func cues(stage: String, more: String = "") -> ObservedExchange {
    ObservedExchange(
      method: "GET", path: "/rpc/get_cues", query: "profile_id=\(Self.id)", requestHeaders: Self.device, status: 200,
      responseHeaders: [("content-type", "application/json"), ("etag", "\"1\"")],
      responseBody: Array(
        """
        {"cues": [{"cue_id": "\(Self.id)", "profile_id": "\(Self.id)", "prompt": "a", "answer": "b", "stage": \(stage), "position": 0, \
        "updated_at": "2026-11-21T12:04:31.482Z"\(more)}], "server_time": "2026-11-21T12:04:31.482Z"}
        """.utf8))
  }

  @Test func theDescriptionIsReadWhole() throws {
    let contract = try contract()
    #expect(contract.operationCount == 16)
    #expect(contract.notes == [])
    #expect(!contract.title.isEmpty)
  }

  @Test func answersOfTheBackendDoNotDiffer() throws {
    #expect(try contract().lines(cues(stage: #""new""#)) == [])
    let login = ObservedExchange(
      method: "POST", path: "/rpc/request_login_code", requestHeaders: Self.device,
      requestBody: Array(#"{"identifier": "person@example.com"}"#.utf8), status: 200,
      responseHeaders: [("content-type", "application/json")],
      responseBody: Array(#"{"cooldown_seconds": 5, "expires_in_seconds": 600}"#.utf8))
    #expect(try contract().lines(login) == [])
  }

  @Test func oneFieldThatDiffersIsNamed() throws {
    let contract = try contract()
    #expect(contract.lines(cues(stage: "1")).map { $0.prefix(24) } == ["response /cues/0/stage: "])
    #expect(contract.lines(cues(stage: #""old""#)).first?.hasSuffix("another string") == true)
    #expect(
      contract.lines(cues(stage: #""new""#, more: #", "hint": "x""#)) == [
        "response /cues/0/hint: no other members, undocumented member"
      ])
    var exchange = cues(stage: #""new""#)
    exchange.requestHeaders = []
    exchange.query = nil
    #expect(
      contract.differences(in: exchange).map(\.pointer) == ["header:X-Device-ID", "query:profile_id"])
  }
}
