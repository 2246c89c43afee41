import HTTPTypes
import Locking
import OpenAPI

/// The route that checks a backend before the console is started with it.
enum InspectionRoutes {
  private struct InspectionRequest: Decodable {
    let url: String
  }

  /// The most inspections at a time; each has up to 14 requests.
  private static let limit = 2

  static func routes(_ dependencies: Application.Dependencies) -> [ConsoleRoute] {
    let running = Locked(0)
    return [
      ConsoleRoute(
        .post, "/api/backend/inspection",
        Operation(
          "inspectBackend", tag: "backend",
          "Looks at a backend that the console could be started with: whether it answers, its certificate, and the calls that it lacks.",
          request: .json(
            .request(InspectionRequest.self).refined([
              "url": .length(9...300) && .described("An https origin, such as https://staging.example.")
            ])),
          responses: [.json("What was found.", BackendInspection.Facts.self)]),
        codes: [.tooManyAttempts],
        .owner { call, _ in
          let text = try await call.body(InspectionRequest.self).url
          guard let origin = Origin(text), origin.scheme == "https" else {
            throw Problem.invalidRequest("The URL is not an https origin.", field: "url")
          }
          let isAdmitted = running.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
          }
          guard isAdmitted else {
            throw Problem(.tooManyAttempts, "Other backends are being inspected.", retryAfterSeconds: 1)
          }
          defer { running.withLock { $0 -= 1 } }
          return try .body(await BackendInspection(origin: origin, version: dependencies.version).facts())
        })
    ]
  }
}
