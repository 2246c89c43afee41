import CCurl

/// Sets an attempt's options and records whether libcurl accepted all of them, so that no rejected option goes unnoticed.
struct CurlOptions {
  /// The attempt's handle.
  let easy: UnsafeMutableRawPointer
  /// Whether all options so far were accepted.
  private(set) var areAllSet = true

  private mutating func note(_ code: CURLcode) { areAllSet = areAllSet && code == CURLE_OK }

  /// Sets a number.
  private mutating func set(_ option: CURLoption, _ value: Int) { note(understudy_set_long(easy, option, value)) }

  /// Sets a text, which is copied; nil unsets the option.
  private mutating func set(_ option: CURLoption, _ value: String?) { note(understudy_set_text(easy, option, value)) }

  /// Sets a pointer, which must outlive the attempt.
  mutating func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) {
    note(understudy_set_pointer(easy, option, pointer))
  }

  /// Sets the connection and trust options.
  mutating func setConnection(_ configuration: TransportConfiguration, sessions: UnsafeMutableRawPointer?) {
    set(CURLOPT_NOSIGNAL, 1)
    // A canceled lookup must not block the thread: the resolver's thread ends by itself.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_REDIR_PROTOCOLS_STR, "https")
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_TCP_KEEPALIVE, 1)
    if let sessions { set(CURLOPT_SHARE, pointer: sessions) }
    if case .pem(let text) = configuration.trust {
      // Otherwise the system's folder would be trusted as well.
      set(CURLOPT_CAPATH, nil)
      set(CURLOPT_CAINFO, nil)
      let bytes = Array(text.utf8)
      note(understudy_set_blob(easy, CURLOPT_CAINFO_BLOB, bytes, bytes.count))
    }
    switch configuration.proxy {
    case .environment: break
    case .none: set(CURLOPT_PROXY, "")
    case .url(let url): set(CURLOPT_PROXY, url)
    }
  }

  /// Sets the request; `headers` must outlive the attempt.
  mutating func setRequest(_ request: PreparedRequest, headers: UnsafeMutablePointer<curl_slist>?) {
    set(CURLOPT_PROTOCOLS_STR, request.allowsPlainText ? "http,https" : "https")
    set(CURLOPT_URL, request.url)
    set(CURLOPT_PATH_AS_IS, 1)
    set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate")
    // libcurl drops the whole response if it does not support a coding; `ContentCoding` decodes.
    set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    note(understudy_set_list(easy, CURLOPT_HTTPHEADER, headers))
    // Progress is needed only for a body.
    set(CURLOPT_NOPROGRESS, request.body?.isEmpty == false ? 0 : 1)
    if let body = request.body {
      // The size first: it determines how much is copied.
      note(understudy_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
      if body.isEmpty {
        set(CURLOPT_COPYPOSTFIELDS, "")
      } else {
        body.withUnsafeBytes { bytes in
          set(CURLOPT_COPYPOSTFIELDS, pointer: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        }
      }
      set(CURLOPT_POST, 1)
    } else if request.method == "HEAD" {
      set(CURLOPT_NOBODY, 1)
    } else {
      set(CURLOPT_HTTPGET, 1)
    }
    set(CURLOPT_CUSTOMREQUEST, request.method)
  }

  /// Sets the timeouts and size limit that libcurl enforces. The loop enforces the idle timeout, because libcurl only supports
  /// whole seconds.
  mutating func setLimits(
    deadline: ContinuousClock.Instant, isReplayable: Bool, responseLimit: Int, configuration: TransportConfiguration
  ) {
    let age = isReplayable ? configuration.reuseAge : min(configuration.unsafeReuseAge, configuration.reuseAge)
    set(CURLOPT_MAXAGE_CONN, Int(max(1, age.components.seconds)))
    // libcurl's intervals are up to a millisecond too long; one more keeps its timeout from firing before the deadline.
    set(CURLOPT_TIMEOUT_MS, max(1, (deadline - .now).wholeMilliseconds + 1))
    set(CURLOPT_CONNECTTIMEOUT_MS, max(1, configuration.connectTimeout.wholeMilliseconds))
    note(understudy_set_size(easy, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(max(1, responseLimit))))
  }

  /// Routes libcurl's callbacks to the `CurlTransfer` at `context`, which must outlive the attempt.
  mutating func setCallbacks(context: UnsafeMutableRawPointer) {
    set(CURLOPT_WRITEDATA, pointer: context)
    set(CURLOPT_HEADERDATA, pointer: context)
    set(CURLOPT_PREREQDATA, pointer: context)
    set(CURLOPT_SSL_CTX_DATA, pointer: context)
    set(CURLOPT_XFERINFODATA, pointer: context)
    note(
      understudy_set_write_function(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
        guard let transfer = CurlTransfer.at(context) else { return 0 }
        let bytes = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return transfer.receive(bytes) ? bytes.count : bytes.count + 1
      })
    note(
      understudy_set_write_function(easy, CURLOPT_HEADERFUNCTION) { _, size, count, context in
        guard let transfer = CurlTransfer.at(context) else { return 0 }
        return transfer.receiveHeader(size * count) ? size * count : 0
      })
    note(
      understudy_set_prereq_function(easy) { context, _, _, _, _ in
        CurlTransfer.at(context)?.willSend() == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
      })
    note(
      understudy_set_progress_function(easy) { context, _, _, _, sent in
        CurlTransfer.at(context)?.didSend(Int(sent))
        return 0
      })
    note(
      understudy_set_tls_context_function(easy) { _, tls, context in
        guard let transfer = CurlTransfer.at(context), let tls else { return CURLE_SSL_CONNECT_ERROR }
        transfer.prepare(OpaquePointer(tls))
        return CURLE_OK
      })
  }
}

extension CurlTransfer {
  /// The attempt behind a callback's context.
  fileprivate static func at(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
    context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
  }
}
