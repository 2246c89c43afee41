import Domain
import Foundation
import HTTPTypes
import JSON
import OpenAPI
import Testing

@testable import Console

@Suite(.timeLimit(.minutes(2))) struct APIDescriptionTests {
  @Test func everySchemaFitsItsType() throws {
    let faults = try #require(DescriptionCheck.description).faults
    #expect(faults == [])
  }

  /// Members that were described but that no answer ever had.
  private static let neverThere = [
    "content.application/problem+json.schema.properties.detail is missing",
    "./api/network/{id}.get.responses.200.content.application/json.schema.properties.request.properties.status is missing",
  ]

  @Test func whatWasDescribedBeforeStillHolds() throws {
    let fixture = URL(fileURLWithPath: #filePath).appending(path: "../../../Fixtures/console-openapi.json").standardized
    let earlier = try JSONDocument(parsing: [UInt8](Data(contentsOf: fixture))).root
    let comparison = DescriptionComparison(earlier: earlier, later: try #require(DescriptionCheck.document))
    let differences = comparison.differences.filter { difference in
      // Rows of the console's own requests came later, and are listed only if they are asked for.
      if difference.contains(".properties.source.enum: ["), difference.hasSuffix(#".plain("tool")]"#),
        difference.matches(of: /\.plain\(/).count == 1
      {
        return false
      }
      // Reasons of consoles that share a database were answered, but not described.
      return !Self.neverThere.contains { difference.hasSuffix($0) } && !difference.contains(".schema.properties.reason.enum: ")
    }
    #expect(differences == [])
  }

  @Test func everyProblemCodeIsDescribed() throws {
    let document = try #require(DescriptionCheck.document)
    let described = (document["paths"]?.members ?? []).flatMap { $0.value.members }.flatMap { operation in
      (operation.value["responses"]?.members ?? []).flatMap { status, response in
        let schema = response["content"]?["application/problem+json"]?["schema"]
        return (schema?["allOf"]?.elements.last?["properties"]?["code"]?["enum"]?.elements ?? []).map {
          "\(status) \($0.string ?? "")"
        }
      }
    }
    // That a path does not support a method is in the overview.
    let codes = ProblemCode.allCases.filter { $0 != .methodNotAllowed }
    #expect(Set(described) == Set(codes.map { "\($0.status) \($0.text)" }))
  }

  static let failures: [CallFailure] = [
    .offline, .timeout, .unavailable(), .rateLimited(retryAfterSeconds: nil), .forbidden, .notFound, .conflict,
    .unexpectedPayload,
    .pinMismatch, .tlsFailed, .signatureRejected, .unauthorized, .cancelled, .backendError,
  ]

  @Test(arguments: failures) func routesThatCallTheBackendDescribeEveryFailure(failure: CallFailure) {
    #expect([ProblemCode].backend.contains(Problem(failure).code))
  }

  @Test func theRouteServesTheDocument() async throws {
    let harness = try await ConsoleHarness()
    let answer = await harness.call(.get, "/api/openapi.json", as: .init())
    #expect(answer.status == 200 && answer.headers[.contentType] == "application/json")
    #expect(answer.json?["openapi"]?.string == "3.1.0" && answer.json?["info"]?["version"]?.string == "1")
    #expect(answer.json?["paths"]?["/api/openapi.json"]?["get"] != nil)
    let foreign = await harness.call(.post, "/api/openapi.json", "{}", as: .init())
    #expect(foreign.status == 405)
  }

  /// Calls each route with valid and invalid input, so that both kinds of answers are compared with the description.
  @Test func everyRouteAnswersAsDescribed() async throws {
    let harness = try await ConsoleHarness()
    let caller = try await harness.signedIn()
    let bodies = [
      "/api/login/magic-link": #"{"identifier":"dana@example.com"}"#, "/api/login/code": #"{"identifier":"x"}"#,
      "/api/login/magic-link/complete": #"{"token":"a"}"#, "/api/account/language": #"{"language_code":"de"}"#,
      "/api/login/code/verify": #"{"identifier":"dana@example.com","code":"123456"}"#,
      "/api/account/analytics": #"{"opted_in":false}"#, "/api/analytics": #"{"name":"settings.opened"}"#,
      "/api/profiles": #"{"language_code":"fr"}"#, "/api/profiles/active": #"{"profile_id":"profile-en"}"#,
      "/api/network/{id}/pin": #"{"pinned":true}"#, "/api/account/deletion": #"{"confirmation":"DELETE"}"#,
      "/api/access": #"{"token":"x"}"#, "/api/devices": "{}",
    ]
    let last = ["/api/account/deletion", "/api/logout", "/api/device"]
    let routes = harness.application.routes.sorted {
      (last.firstIndex(of: $0.path) ?? -1) < (last.firstIndex(of: $1.path) ?? -1)
    }
    let row = await harness.call(.get, "/api/network", as: caller).json?["events"]?.elements.last?["id"]?.string ?? ""
    for route in routes {
      let path = route.path.replacing("{id}", with: row)
      _ = await harness.call(route.method, path, as: .init())
      if route.method == .post {
        _ = await harness.call(route.method, path, "[", as: caller)
        _ = await harness.call(route.method, path, "{}", as: caller)
      }
      _ = await harness.call(route.method, path, route.method == .post ? bodies[route.path] ?? "{}" : nil, as: caller)
    }
  }
}
