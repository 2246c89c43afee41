import Client
import HTTPTypes
import Testing
import Text

@testable import Composition

@Suite struct BackendVisitTests {
  private static let now: Int64 = 1_800_000_000

  private func findings(
    _ answer: Result<TransportResponse, TransportError>, leaf: String? = nil, isPinned: Bool = false
  ) -> [DoctorFinding] {
    BackendVisit(origin: "https://staging.example").findings(answer, leaf: leaf, isPinned: isPinned, now: Self.now)
  }

  private func response(ahead: Int64?) -> TransportResponse {
    TransportResponse(status: 404, headers: ahead.map { [.date: HTTPDate.format(Self.now + $0)] } ?? [:])
  }

  @Test func anyAnswerIsOne() {
    let found = findings(.success(response(ahead: 1)))
    #expect(found.map(\.check) == [.backend, .certificate, .clock] && found.allSatisfy { $0.state == .ok })
  }

  @Test func theKeyOfACertificateThatIsNotPinnedIsNamed() {
    #expect(findings(.success(response(ahead: 0)), leaf: "sha256/AAAA")[1].advice?.contains("--pin sha256/AAAA") == true)
    #expect(findings(.success(response(ahead: 0)), leaf: nil, isPinned: true)[1].advice == nil)
  }

  @Test(arguments: [(60, true), (-60, true), (61, false), (-61, false), (nil, true)] as [(Int64?, Bool)])
  func clocksMayDifferByAMinute(ahead: Int64?, isFine: Bool) {
    #expect((findings(.success(response(ahead: ahead)))[2].state == .ok) == isFine)
  }

  @Test func aClockThatIsWrongIsNamedWithItsDirection() {
    #expect(findings(.success(response(ahead: 300)))[2].text == "the backend's clock is 300 s ahead of this machine's")
    #expect(findings(.success(response(ahead: -300)))[2].text == "the backend's clock is 300 s behind this machine's")
  }

  @Test func aCertificateThatIsNotTrustedIsTheProblemAndNotTheBackend() {
    let found = findings(.failure(.tls("certificate has expired")))
    #expect(found.map(\.state) == [.ok, .problem] && found[1].check == .certificate && found[1].text.contains("expired"))
    let pinned = findings(.failure(.pinMismatch(presented: ["sha256/BBBB", "sha256/CCCC"])), isPinned: true)
    #expect(pinned.map(\.state) == [.ok, .problem] && pinned[1].advice?.contains("sha256/BBBB") == true)
  }

  @Test func aBackendThatDoesNotAnswerIsTheOnlyFinding() {
    let found = findings(.failure(.offline(kind: .cannotFindHost)))
    #expect(found.count == 1 && found[0].check == .backend && found[0].state == .problem)
  }
}
