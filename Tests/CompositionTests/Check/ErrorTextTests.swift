import Client
import Domain
import Testing

@testable import Composition

/// The identifiers of errors in reports, which programs compare.
@Suite struct ErrorTextTests {
  @Test(
    arguments: [
      (AuthError.loginCodeInvalid, "login_code_invalid"), (AuthError.cooldown(retryAfterSeconds: 5), "cooldown, 5 s to wait"),
      (AuthError.tooManyAttempts(retryAfterSeconds: nil), "too_many_attempts"),
      (AuthError.tooManyAttempts(retryAfterSeconds: 7), "too_many_attempts, 7 s to wait"),
      (AuthError.failed(.rateLimited(retryAfterSeconds: 3)), "rate_limited, 3 s to wait"),
      (AccountError.failed(.unavailable(retryAfterSeconds: 3)), "unavailable"), (AccountError.signedOut, "signed_out"),
      (AccountError.outcomeUnknown(.tlsFailed), "tls_failed, outcome unknown"),
      (AccountError.missingField(.profiles), "profiles is missing"), (CueError.unsyncedEdits(count: 2), "unsynced_edits: 2"),
      (CueError.failed(.rateLimited(retryAfterSeconds: nil)), "rate_limited"),
      (NetworkError.rejected(status: 409, code: "conflict"), "409 conflict"),
      (NetworkError.rejected(status: 418, code: nil), "418 without a code"), (NetworkError.notFound(code: nil), "not_found"),
      (NetworkError.server(statusCode: 500), "server_error 500"), (CheckStop.skipped("a reason"), "a reason"),
      (CancellationError(), "cancelled"),
    ] as [(any Error, String)])
  func anErrorHasItsIdentifier(error: any Error, expected: String) {
    #expect(ErrorText.describe(error) == expected)
  }
}
