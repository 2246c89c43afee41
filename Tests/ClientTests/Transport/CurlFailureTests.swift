import CCurl
import Glibc
import Testing

@testable import Client

@Suite struct CurlFailureTests {
  private func error(
    _ code: CURLcode, sent: Bool = false, late: Bool = false, tooLarge: Bool = false, errno: Int32 = 0, text: String = ""
  ) -> TransportError {
    CurlFailure(
      code: code, wasSent: sent, isPastDeadline: late, isBodyTooLarge: tooLarge, presentedPins: nil, systemError: errno,
      text: text
    ).error
  }

  @Test func unreachableServers() {
    #expect(error(CURLE_COULDNT_RESOLVE_HOST) == .offline(kind: .cannotFindHost))
    #expect(error(CURLE_COULDNT_RESOLVE_PROXY) == .offline(kind: .dnsLookupFailed))
    #expect(error(CURLE_COULDNT_CONNECT) == .offline(kind: .cannotConnect))
    #expect(error(CURLE_COULDNT_CONNECT, errno: ECONNREFUSED) == .offline(kind: .cannotConnect))
    #expect(error(CURLE_COULDNT_CONNECT, errno: ENETUNREACH) == .offline(kind: .notConnected))
    #expect(error(CURLE_COULDNT_CONNECT, errno: ENETDOWN) == .offline(kind: .notConnected))
    #expect(error(CURLE_INTERFACE_FAILED) == .offline(kind: .notConnected))
    #expect(error(CURLE_PROXY) == .offline(kind: .cannotConnect))
  }

  @Test(arguments: [CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_OPERATION_TIMEDOUT].map(\.rawValue))
  func aFailedSecondConnectionDoesNotHideTheFirst(code: UInt32) {
    #expect(error(CURLcode(code), sent: true) == .connectionLost(mayHaveBeenProcessed: true))
  }

  @Test func limitsOfTime() {
    #expect(error(CURLE_OPERATION_TIMEDOUT) == .timedOut(.connect))
    #expect(error(CURLE_OPERATION_TIMEDOUT, late: true) == .timedOut(.deadline))
    #expect(error(CURLE_OPERATION_TIMEDOUT, sent: true, late: true) == .timedOut(.deadline))
  }

  @Test(
    arguments: [
      CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM,
      CURLE_ABORTED_BY_CALLBACK, CURLE_SSL_SHUTDOWN_FAILED, CURLE_AGAIN, CURLE_UNRECOVERABLE_POLL, CURLE_OUT_OF_MEMORY,
    ].map(\.rawValue))
  func brokenConnections(code: UInt32) {
    #expect(error(CURLcode(code)) == .connectionLost(mayHaveBeenProcessed: false))
    #expect(error(CURLcode(code), sent: true) == .connectionLost(mayHaveBeenProcessed: true))
  }

  @Test(
    arguments: [
      CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_CLIENTCERT, CURLE_SSL_CRL_BADFILE,
    ].map(\.rawValue))
  func distrust(code: UInt32) {
    #expect(error(CURLcode(code), text: "why") == .tls("why"))
    guard case .tls(let words) = error(CURLcode(code)) else {
      Issue.record("no TLS error")
      return
    }
    #expect(!words.isEmpty)
  }

  @Test func aHandshakeThatEndsInSilenceIsABrokenConnection() {
    #expect(
      error(CURLE_SSL_CONNECT_ERROR, text: "OpenSSL SSL_connect: Connection reset by peer")
        == .connectionLost(mayHaveBeenProcessed: false))
    #expect(error(CURLE_SSL_CONNECT_ERROR, text: "error:0A00010B:SSL routines") == .tls("error:0A00010B:SSL routines"))
  }

  @Test func aPinMismatchWinsOverAllElse() {
    let failure = CurlFailure(code: CURLE_PEER_FAILED_VERIFICATION, presentedPins: ["sha256/x"], text: "why")
    #expect(failure.error == .pinMismatch(presented: ["sha256/x"]))
  }

  @Test func answers() {
    #expect(error(CURLE_FILESIZE_EXCEEDED, sent: true) == .responseTooLarge)
    #expect(error(CURLE_WRITE_ERROR, sent: true, tooLarge: true) == .responseTooLarge)
    #expect(error(CURLE_WRITE_ERROR, sent: true) == .malformedResponse)
    #expect(error(CURLE_BAD_CONTENT_ENCODING, sent: true) == .malformedResponse)
    #expect(error(CURLE_WEIRD_SERVER_REPLY, sent: true) == .malformedResponse)
    #expect(error(CURLE_UNSUPPORTED_PROTOCOL, sent: true) == .malformedResponse)
  }

  @Test(
    arguments: [CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_LOGIN_DENIED, CURLE_BAD_FUNCTION_ARGUMENT].map(\.rawValue))
  func unusableURLs(code: UInt32) {
    #expect(error(CURLcode(code)) == .invalidURL)
  }
}
