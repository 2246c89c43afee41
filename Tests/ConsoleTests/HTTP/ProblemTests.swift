import Console
import Domain
import FoundationEssentials
import HTTPTypes
import JSON
import Server
import Storage
import Testing

@Suite struct ProblemTests {
  @Test func isWrittenAsProblemDetails() throws {
    let problem = Problem(AuthError.cooldown(retryAfterSeconds: 7))
    let now = try #require(Timestamp(parsing: "2026-11-21T12:00:00.000Z"))
    let response = problem.response(requestID: "r-1", now: now)
    #expect(response.status == .tooManyRequests)
    #expect(response.headers[.contentType] == "application/problem+json")
    #expect(response.headers[.retryAfter] == "7")
    guard case .bytes(let bytes) = response.body else { Issue.record("no body"); return }
    let root = try JSONDocument(parsing: bytes).root
    #expect(root["code"]?.string == "cooldown")
    #expect(root["status"]?.int64 == 429)
    #expect(root["retry_after_seconds"]?.int64 == 7)
    #expect(root["retry_at"]?.string == "2026-11-21T12:00:07.000Z")
    #expect(root["request_id"]?.string == "r-1")
  }

  @Test(arguments: [
    (AuthError.invalidIdentifier, 422, "invalid_identifier"), (.loginCodeInvalid, 422, "login_code_invalid"),
    (.loginLinkInvalid, 422, "login_link_invalid"), (.linkUntrusted, 422, "link_untrusted"), (.foreignState, 409, "conflict"),
    (.featureDisabled, 403, "feature_disabled"), (.sessionEnded, 409, "session_ended"), (.storageFull, 503, "storage_full"),
    (.tooManyAttempts(retryAfterSeconds: 3), 429, "too_many_attempts"), (.failed(.offline), 503, "offline"),
    (.failed(.timeout), 504, "timeout"), (.failed(.pinMismatch), 502, "pin_mismatch"), (.failed(.tlsFailed), 502, "tls_failed"),
    (.failed(.unexpectedPayload), 502, "unexpected_payload"), (.failed(.signatureRejected), 502, "signature_rejected"),
    (.failed(.unavailable()), 503, "unavailable"), (.failed(.backendError), 502, "backend_error"),
  ])
  func loginFailuresHaveTheirCodes(error: AuthError, status: Int, code: String) {
    #expect(Problem(error).status.code == status)
    #expect(Problem(error).code.text == code)
  }

  @Test(arguments: [StorageError.full, .unusable, .damaged])
  func aDatabaseThatCannotBeWrittenIsStorageFull(error: StorageError) {
    #expect(Problem(error as any Error) == .storageFull)
  }

  @Test func aDatabaseThatIsAwayIsUnavailableForAMoment() {
    let problem = Problem(StorageError.unreachable("no connection") as any Error)
    #expect(problem.code == .unavailable && problem.retryAfterSeconds == 1 && problem.reason == .databaseAway)
  }

  @Test func aDeviceThatMovesIsAskedForAgain() {
    let problem = Problem(DeviceAway.moved(retryAfterSeconds: 4) as any Error)
    #expect(problem.code == .unavailable && problem.retryAfterSeconds == 4 && problem.reason == .moving)
    // What ran until then may have been done.
    #expect(Problem(StorageError.fenced as any Error).reason == .moved)
  }

  @Test(
    arguments: [
      (
        PersonError.accountTaken(by: "ann", until: 0, retryAfterSeconds: 7), ProblemCode.accountTaken,
        "Another person reserved this account.", "Taken by ann until 1970-01-01T00:00:00.000Z."
      ),
      (
        .accountUnread, .accountTaken, "Somebody else may have taken this account.",
        "The account could not be read, and others have taken accounts."
      ),
      (.tooManyAccounts(20), .tooManyAttempts, "This person has already taken 20 accounts.", nil),
      (.tooManyWorkspaces(20), .tooManyAttempts, "This person has already made 20 workspaces.", nil),
      (.tooManyLinks(50), .tooManyAttempts, "This workspace already has 50 links.", nil),
      (.tooManyMembers(200), .tooManyAttempts, "This workspace already has 200 members.", nil),
    ] as [(PersonError, ProblemCode, String, String?)])
  func refusalsBecauseOfPersonsHaveTheirWords(error: PersonError, code: ProblemCode, title: String, detail: String?) {
    let problem = Problem(error as any Error)
    #expect(problem.code == code && problem.title == title && problem.detail == detail)
  }

  @Test func anUnknownErrorIsInternal() {
    struct Unknown: Error {}
    #expect(Problem(Unknown()) == .internalError)
    #expect(Problem(StorageError.statement("1") as any Error) == .internalError)
    #expect(Problem.internalError.status == .internalServerError && Problem.internalError.code.text == "internal_error")
  }

  @Test func aBackends401IsNeverTheConsolesOwn() {
    #expect(Problem(CallFailure.unauthorized).status.code == 502)
    #expect(Problem(AccountError.failed(.unauthorized)).status.code == 502)
    #expect(Problem(AccountError.signedOut) == .signedOut)
  }
}
