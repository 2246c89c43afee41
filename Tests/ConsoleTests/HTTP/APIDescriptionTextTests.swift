import Domain
import HTTPTypes
import JSON
import Server
import Support
import Testing

@testable import Console

@Suite(.timeLimit(.minutes(2))) struct APIDescriptionTextTests {
  private func document() throws -> JSONNode { try #require(DescriptionCheck.document) }

  @Test func routesAndPathsAreTheSame() throws {
    let bench = try ConsoleHarness()
    let described = try (document()["paths"]?.members ?? []).flatMap { path, methods in
      methods.members.map { "\($0.key) \(path)" }
    }
    let routes = bench.application.routes.map { "\($0.method.rawValue.lowercased()) \($0.pattern)" }
    #expect(Set(described) == Set(routes))
    #expect(described.count == routes.count)
  }

  @Test func whatACallerMustCarryIsTheRoutes() throws {
    let document = try document()
    for route in try ConsoleHarness().application.routes {
      let operation = try #require(document["paths"]?[route.pattern]?[route.method.rawValue.lowercased()])
      let security = operation["security"]?.sourceText
      switch route.handler {
      case .open: #expect(security == nil, "\(route.pattern)")
      case .browser: #expect(security == #"[{},{"browser":[]}]"#, "\(route.pattern)")
      case .device: #expect(security == #"[{"browser":[],"device":[]}]"#, "\(route.pattern)")
      }
      let captures = route.pattern.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
      let inPath = operation["parameters"]?.elements.filter { $0["in"]?.string == "path" }.compactMap { $0["name"]?.string } ?? []
      #expect(inPath == captures.map(String.init))
      let takesBody = route.method == .post && operation["requestBody"] != nil
      #expect(route.method == .post || !takesBody)
    }
  }

  @Test func everyReferenceLeadsSomewhereAndEveryShapeIsUsed() throws {
    let document = try document()
    let check = JSONSchemaCheck(document: document)
    var used: Set<String> = []
    func walk(_ node: JSONNode) {
      for (key, value) in node.members {
        if key == "$ref" {
          #expect(check.resolve(value) != nil, "\(value.sourceText)")
          used.insert(value.string ?? "")
        }
        walk(value)
      }
      for element in node.elements { walk(element) }
    }
    walk(document)
    for (name, _) in document["components"]?["schemas"]?.members ?? [] {
      #expect(used.contains("#/components/schemas/\(name)"), "\(name)")
    }
    let names = APIDescriptionText.operations.map(\.name)
    #expect(Set(names).count == names.count)
    let tags = Set(document["tags"]?.elements.compactMap { $0["name"]?.string } ?? [])
    #expect(tags == Set(APIDescriptionText.operations.map(\.tag)))
  }

  /// Every problem that the program can make, by its errors.
  static let problems: [Problem] =
    [
      .noDevice, .signedOut, .accessRequired, .originRefused, .notFound, .tooManyStreams, .unsupportedMediaType,
      .payloadTooLarge, .storageFull, .sessionEnded, .featureDisabled, .invalidRequest(""),
      .notReplayable, .maskNotHeld, .exportRefused,
    ] + failures.map { Problem($0) }
    + [
      AuthError.invalidIdentifier, .tooManyAttempts(retryAfterSeconds: 1), .cooldown(retryAfterSeconds: 1), .loginCodeInvalid,
      .loginLinkInvalid, .linkUntrusted, .foreignState, .featureDisabled, .sessionEnded, .storageFull, .failed(.timeout),
    ].map { Problem($0) }
    + [
      AccountError.signedOut, .sessionEnded, .profileNotFound, .unsupportedLanguage, .confirmationMismatch, .featureDisabled,
      .storageFull, .missingField(.profiles), .outcomeUnknown(.timeout), .failed(.timeout),
    ].map { Problem($0) }
    + [
      CueError.signedOut, .sessionEnded, .cueNotFound, .profileNotFound, .unknownStage, .conflict, .unsyncedEdits(count: 1),
      .storageFull, .failed(.timeout),
    ].map { Problem($0) }

  static let failures: [CallFailure] = [
    .offline, .timeout, .unavailable, .rateLimited(retryAfterSeconds: nil), .forbidden, .notFound, .conflict, .unexpectedPayload,
    .pinMismatch, .tlsFailed, .signatureRejected, .unauthorized, .cancelled, .backendError,
  ]

  @Test func codesAreTheSameInBothDirections() throws {
    let made = Set(Self.problems.map { "\($0.status.code) \($0.code)" } + ["405 method_not_allowed"])
    #expect(made == Set(ProblemCode.allCases.map { "\($0.status) \($0.code)" }))
    let used = APIDescriptionText.codes
    for code in ProblemCode.allCases where code != .methodNotAllowed { #expect(used[code]?.isEmpty == false, "\(code)") }
    for failure in Self.failures {
      let code = try #require(ProblemCode(rawValue: Problem(failure).code))
      #expect(ProblemCode.backend.contains(code), "\(failure)")
    }
  }

  @Test func theRouteServesTheDocument() async throws {
    let bench = try ConsoleHarness()
    let answer = await bench.call(.get, "/api/openapi.json", as: .init())
    #expect(answer.status == 200 && answer.headers[.contentType] == "application/json")
    #expect(answer.json?["openapi"]?.string == "3.1.0" && answer.json?["info"]?["version"]?.string == "1")
    let foreign = await bench.call(.post, "/api/openapi.json", "{}", as: .init())
    #expect(foreign.status == 405)
  }

  /// Each route is called once with what it wants and once with nothing, so that both kinds of answers are held to the description.
  @Test func everyRouteAnswersAsDescribed() async throws {
    let bench = try ConsoleHarness()
    let caller = try await bench.signedIn()
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
    let routes = bench.application.routes.sorted {
      (last.firstIndex(of: $0.pattern) ?? -1) < (last.firstIndex(of: $1.pattern) ?? -1)
    }
    let row = await bench.call(.get, "/api/network", as: caller).json?["events"]?.elements.last?["id"]?.string ?? ""
    for route in routes {
      let path = route.pattern.replacing("{id}", with: row)
      _ = await bench.call(route.method, path, as: .init())
      if route.method == .post {
        _ = await bench.call(route.method, path, "[", as: caller)
        _ = await bench.call(route.method, path, "{}", as: caller)
      }
      _ = await bench.call(route.method, path, route.method == .post ? bodies[route.pattern] ?? "{}" : nil, as: caller)
    }
  }
}
