import JSON
import Testing

@testable import Composition

@Suite struct DoctorReportTests {
  private static let findings: [DoctorFinding] = [
    .ok(.version, "understudy 1.0.0"), .problem(.port, "port 80 is used", advice: "Choose another."),
  ]

  @Test func aReportIsHealthyIfNothingIsAProblem() {
    #expect(!DoctorReport(Self.findings).healthy)
    #expect(DoctorReport([Self.findings[0]]).healthy)
  }

  @Test func theTextHasALineForEachFindingAndBelowItWhatToDo() {
    #expect(
      DoctorReport(Self.findings).text == """
        ok       version      understudy 1.0.0
        problem  port         port 80 is used
                              Choose another.

        """)
  }

  @Test func theJSONHasTheSame() throws {
    let json = try JSONDocument(parsing: try JSONCoding.encode(DoctorReport(Self.findings))).root
    #expect(json["format"]?.string == "understudy-doctor" && json["healthy"]?.bool == false)
    let second = json["findings"]?.elements.last
    #expect(second?["check"]?.string == "port" && second?["state"]?.string == "problem")
    #expect(second?["text"]?.string == "port 80 is used" && second?["advice"]?.string == "Choose another.")
  }
}
