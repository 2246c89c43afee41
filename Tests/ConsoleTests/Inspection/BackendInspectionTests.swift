import Client
import HTTPTypes
import Testing
import Text

@testable import Console

@Suite struct BackendInspectionTests {
  private static let now: Int64 = 1_800_000_000

  /// Inspects a backend that answers a path as the closure says.
  private func facts(
    certificate: ServedCertificate? = nil,
    _ answer: @escaping @Sendable (String) throws(TransportError) -> TransportResponse
  ) async -> BackendInspection.Facts {
    let origin = Origin(scheme: "https", host: "staging.example", port: 443)
    let transport = Transport { request throws(TransportError) in
      guard request.method == .head, request.body == nil, request.headers[.authorization] == nil else { throw .invalidURL }
      return try answer(String(request.url.dropFirst(origin.text.count)))
    }
    return await BackendInspection(origin: origin, version: "1").facts(over: transport, now: { Self.now }) { certificate }
  }

  private static func certificate(_ fault: ServedCertificate.Fault?) -> ServedCertificate {
    ServedCertificate(
      subject: "CN=staging.example", issuer: "CN=Authority", validFrom: now - 60, validUntil: .max, pin: nil, fault: fault)
  }

  @Test func aBackendThatHasAllCallsLacksNone() async {
    let facts = await facts(certificate: Self.certificate(nil)) { path throws(TransportError) in
      TransportResponse(
        status: path == "/rpc/app_config" ? 200 : 405,
        headers: [.contentType: "application/json", .date: HTTPDate.format(Self.now + 90)])
    }
    #expect(facts.outcome == .answers && facts.missing.isEmpty && facts.clockAheadSeconds == 90)
    #expect(facts.certificate?.subject == "CN=staging.example" && facts.certificate?.problem == nil)
  }

  @Test func callsWithoutAPathAreListedInTheirOrder() async {
    let facts = await facts { path throws(TransportError) in
      if path.hasPrefix("/app/") { throw .timedOut(.deadline) }
      return TransportResponse(status: path.contains("cue") ? 404 : 401)
    }
    #expect(facts.missing == ["get_cues", "shuffle_cues", "update_cue_stage"])
    #expect(BackendInspection.calls.count == 14)
  }

  @Test(
    arguments: [(404, nil, true), (410, nil, true), (302, nil, true), (200, "text/html; charset=utf-8", true)]
      + [(200, "application/json", false), (204, nil, false), (401, nil, false), (405, "text/html", false), (500, nil, false)]
      as [(Int, String?, Bool)])
  func aPageOrARedirectIsNoCall(status: Int, type: String?, isMissing: Bool) {
    let response = TransportResponse(status: status, headers: type.map { [.contentType: $0] } ?? [:])
    #expect(BackendInspection.isMissing(response) == isMissing)
  }

  @Test(
    arguments: [
      (.offline(kind: .cannotFindHost), .unknownHost), (.offline(kind: .cannotConnect), .noConnection),
      (.timedOut(.connect), .timedOut), (.tls("wrong version number"), .noTLS),
      (.connectionLost(mayHaveBeenProcessed: false), .noTLS), (.malformedResponse, .noHTTP), (.cancelled, .failed),
    ] as [(TransportError, BackendInspection.Facts.Outcome)])
  func aFailureIsNamed(error: TransportError, outcome: BackendInspection.Facts.Outcome) async {
    let facts = await facts { _ throws(TransportError) in throw error }
    #expect(facts.outcome == outcome && facts.certificate == nil && facts.missing.isEmpty)
  }

  @Test(
    arguments: [
      (.unknownAuthority, "", "unknown_authority"), (.expired, "", "expired"),
      (nil, "SSL: no alternative certificate subject name matches target host name 'a'", "wrong_name"),
      (nil, "bad ecpoint", "other"),
    ] as [(ServedCertificate.Fault?, String, String)])
  func aCertificateThatIsNotTrustedSaysWhy(fault: ServedCertificate.Fault?, text: String, problem: String) async {
    let facts = await facts(certificate: Self.certificate(fault)) { _ throws(TransportError) in throw .tls(text) }
    #expect(facts.outcome == .untrusted && facts.certificate?.problem == problem && facts.certificate?.issuer == "CN=Authority")
  }
}
