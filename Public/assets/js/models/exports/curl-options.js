// @ts-check
/** The long names of options that are followed by a value, of curl 7.88 and later versions. */
const valued = new Set(
  ("abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to continue-at " +
    "cookie cookie-jar create-file-mode crlfile curves data data-ascii data-binary data-raw data-urlencode delegation " +
    "dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url dump-header ech egd-file engine etag-compare etag-save " +
    "expect100-timeout form form-string ftp-account ftp-alternative-to-user ftp-method ftp-port ftp-ssl-ccc-mode " +
    "happy-eyeballs-timeout-ms haproxy-clientip header hostpubmd5 hostpubsha256 hsts interface ip-tos ipfs-gateway json " +
    "keepalive-cnt keepalive-time key key-type knownhosts krb libcurl limit-rate local-port login-options mail-auth mail-from " +
    "mail-rcpt max-filesize max-redirs max-time netrc-file noproxy oauth2-bearer output output-dir parallel-max " +
    "parallel-max-host pass pinnedpubkey preproxy proto proto-default proto-redir proxy proxy-cacert proxy-capath proxy-cert " +
    "proxy-cert-type proxy-ciphers proxy-crlfile proxy-header proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey " +
    "proxy-service-name proxy-tls13-ciphers proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy-user proxy1.0 pubkey " +
    "quote random-file range rate referer request request-target resolve retry retry-delay retry-max-time sasl-authzid " +
    "service-name sigalgs socks4 socks4a socks5 socks5-gssapi-service socks5-hostname speed-limit speed-time stderr " +
    "telnet-option tftp-blksize time-cond tls-max tls13-ciphers tlsauthtype tlspassword tlsuser trace trace-ascii " +
    "trace-config unix-socket upload-file upload-flags url url-query user user-agent variable vlan-priority write-out")
    .split(" "),
);

/** The long names of options without a value; most may also be written with `no-` before them. */
const flags = new Set(
  ("anyauth append basic ca-native cert-status compressed compressed-ssh create-dirs crlf digest disable disable-eprt " +
    "disable-epsv disallow-username-in-url doh-cert-status doh-insecure dump-ca-embed fail fail-early fail-with-body " +
    "false-start follow form-escape ftp-create-dirs ftp-pasv ftp-pret ftp-skip-pasv-ip ftp-ssl-ccc ftp-ssl-control get " +
    "globoff haproxy-protocol head help http0.9 http1.0 http1.1 http2 http2-prior-knowledge http3 http3-only " +
    "ignore-content-length include insecure ipv4 ipv6 junk-session-cookies list-only location location-trusted " +
    "mail-rcpt-allowfails manual metalink mptcp negotiate netrc netrc-optional next alpn buffer clobber keepalive npn " +
    "progress-meter sessionid ntlm ntlm-wb out-null parallel parallel-immediate path-as-is post301 post302 post303 " +
    "progress-bar proxy-anyauth proxy-basic proxy-ca-native proxy-digest proxy-http2 proxy-insecure proxy-negotiate " +
    "proxy-ntlm proxy-ssl-allow-beast proxy-ssl-auto-client-cert proxy-tlsv1 proxytunnel raw remote-header-name " +
    "remote-name remote-name-all remote-time remove-on-error retry-all-errors retry-connrefused sasl-ir show-error " +
    "show-headers silent skip-existing socks5-basic socks5-gssapi socks5-gssapi-nec ssl ssl-allow-beast " +
    "ssl-auto-client-cert ssl-no-revoke ssl-reqd ssl-revoke-best-effort sslv2 sslv3 styled-output " +
    "suppress-connect-headers tcp-fastopen tcp-nodelay tftp-no-options tls-earlydata tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 " +
    "tlsv1.3 tr-encoding trace-ids trace-time use-ascii verbose version xattr").split(" "),
);

/** The long names of options with a short one. @type {Record<string, string>} */
const long = {
  X: "request", d: "data", H: "header", G: "get", I: "head", u: "user", b: "cookie", A: "user-agent", e: "referer",
  F: "form", T: "upload-file", o: "output", x: "proxy", m: "max-time", E: "cert", w: "write-out", c: "cookie-jar",
  D: "dump-header", K: "config", U: "proxy-user", r: "range", C: "continue-at", Y: "speed-limit", y: "speed-time",
  z: "time-cond", Q: "quote", P: "ftp-port", t: "telnet-option", g: "globoff", ":": "next",
};

/**
 * An option by its long name, which may be shortened as long as one option begins with it.
 * @param {string} written without the leading `--`
 * @returns {{name: string, hasValue: boolean} | null} null if curl has no such option, or several
 */
export function longOption(written) {
  const isNegated = written.startsWith("no-") && !valued.has(written);
  const asked = written.replace(/^(no|expand)-/, (prefix) => valued.has(written) ? prefix : "");
  if (valued.has(asked) && !isNegated) return { name: asked, hasValue: true };
  if (flags.has(asked)) return { name: isNegated ? `no-${asked}` : asked, hasValue: false };
  const found = [...valued, ...flags].filter((name) => name.startsWith(asked));
  const [name] = found;
  return name && found.length === 1 && asked ? longOption(`${isNegated ? "no-" : ""}${name}`) : null;
}

/** An option by its letter. @param {string} letter */
export function shortOption(letter) {
  const name = long[letter] ?? letter;
  return { name, hasValue: valued.has(name) };
}
