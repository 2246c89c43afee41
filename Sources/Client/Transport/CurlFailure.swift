import CCurl
import Glibc

/// libcurl's result of a failed attempt, and the transport's data about it.
struct CurlFailure {
  /// libcurl's result, not `CURLE_OK`.
  var code: CURLcode
  /// Whether the request was handed to a connection at least once.
  var wasSent = false
  /// Whether the attempt's deadline has passed.
  var isPastDeadline = false
  /// Whether the transport aborted because of the body's size.
  var isBodyTooLarge = false
  /// The pins of a trusted chain without a pinned key.
  var presentedPins: [String]?
  /// The last system error while connecting, 0 for none.
  var systemError: Int32 = 0
  /// libcurl's error text.
  var text = ""

  /// Maps libcurl's result; an unlisted one counts as a broken connection.
  var error: TransportError {
    if let presentedPins { return .pinMismatch(presented: presentedPins) }
    switch code {
    case CURLE_OPERATION_TIMEDOUT: return timeout
    case CURLE_COULDNT_RESOLVE_HOST: return unreachable(.cannotFindHost)
    case CURLE_COULDNT_RESOLVE_PROXY: return unreachable(.dnsLookupFailed)
    case CURLE_INTERFACE_FAILED: return unreachable(.notConnected)
    case CURLE_PROXY: return unreachable(.cannotConnect)
    case CURLE_COULDNT_CONNECT:
      return unreachable([ENETUNREACH, ENETDOWN].contains(systemError) ? .notConnected : .cannotConnect)
    case CURLE_SSL_CONNECT_ERROR where !text.contains("error:"):
      // The connection ended in the handshake without a TLS alert; OpenSSL's own errors start with `error:`.
      return lost
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_NOTFOUND,
      CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
      return .tls(text.isEmpty ? String(cString: curl_easy_strerror(code)) : text)
    case CURLE_FILESIZE_EXCEEDED: return .responseTooLarge
    case CURLE_WRITE_ERROR: return isBodyTooLarge ? .responseTooLarge : .malformedResponse
    case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: return .malformedResponse
    case CURLE_UNSUPPORTED_PROTOCOL: return wasSent ? .malformedResponse : .invalidURL
    case CURLE_URL_MALFORMAT, CURLE_LOGIN_DENIED, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_UNKNOWN_OPTION, CURLE_SETOPT_OPTION_SYNTAX,
      CURLE_NOT_BUILT_IN:
      return .invalidURL
    default: return lost
    }
  }

  private var lost: TransportError { .connectionLost(mayHaveBeenProcessed: wasSent) }

  /// // The failure of a second connection does not show the server's handling of the first.
  private func unreachable(_ kind: TransportError.OfflineKind) -> TransportError { wasSent ? lost : .offline(kind: kind) }

  private var timeout: TransportError {
    if isPastDeadline { return .timedOut(.deadline) }
    return wasSent ? lost : .timedOut(.connect)
  }
}
