// OpenSSL's TLS macros as functions that Swift can call.
#pragma once
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <string.h>

/// SSL_CTX_set_min_proto_version is a macro.
static inline int copenssl_set_minimum_tls12(SSL_CTX *context) {
  return (int)SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

/// The SSL_OP_* values are macros with casts. Order of ciphers is the server's; neither renegotiation nor compression.
static inline void copenssl_set_server_options(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                   SSL_OP_PRIORITIZE_CHACHA);
}

/// The SSL_CTX_set_mode and _read_ahead calls are macros. Idle connections keep no buffers; a write may send a part and may be
/// repeated from another address.
static inline void copenssl_set_stream_modes(SSL_CTX *context) {
  SSL_CTX_set_mode(context,
                   SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context, 1);
}

/// SSL_CTX_set_session_cache_mode is a macro. Sessions live in tickets only, nothing is kept for a client that may not come back.
static inline void copenssl_use_tickets_only(SSL_CTX *context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 1);
}

/// SSL_CTX_add1_chain_cert is a macro.
static inline int copenssl_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
  return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

/// Reads a private key; an encrypted one fails, where OpenSSL alone would ask for the pass phrase on the terminal.
static inline int copenssl_no_passphrase(char *buffer, int size, int writing, void *context) {
  (void)buffer, (void)size, (void)writing, (void)context;
  return -1;
}
static inline EVP_PKEY *copenssl_read_private_key(BIO *bio) {
  return PEM_read_bio_PrivateKey(bio, NULL, copenssl_no_passphrase, NULL);
}

/// Chooses `http/1.1` from the client's ALPN list (RFC 7301); a list without it fails with no_application_protocol.
static inline int copenssl_select_http11(SSL *ssl, const unsigned char **out, unsigned char *outlen,
                                         const unsigned char *in, unsigned int inlen, void *context) {
  (void)ssl, (void)context;
  for (unsigned int at = 0; at < inlen; at += 1u + in[at]) {
    if (in[at] == 8 && inlen - at > 8 && memcmp(in + at + 1, "http/1.1", 8) == 0) {
      *out = in + at + 1;
      *outlen = 8;
      return SSL_TLSEXT_ERR_OK;
    }
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}
static inline void copenssl_use_alpn_http11(SSL_CTX *context) {
  SSL_CTX_set_alpn_select_cb(context, copenssl_select_http11, NULL);
}
