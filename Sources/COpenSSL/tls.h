// OpenSSL's TLS macros as functions that Swift can call.
#pragma once
#include <errno.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
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

/// To OpenSSL a socket without memory for more (ENOBUFS, ENOMEM) is broken for good; it is a passing state, and marked as one, so
/// that the call comes back as one to repeat.
static inline long copenssl_retry_shortage(BIO *bio, int operation, const char *bytes, size_t length, int argi, long argl,
                                           int result, size_t *processed) {
  (void)bytes, (void)length, (void)argi, (void)argl, (void)processed;
  if (result <= 0 && (errno == ENOBUFS || errno == ENOMEM)) {
    if (operation == (BIO_CB_WRITE | BIO_CB_RETURN)) BIO_set_retry_write(bio);
    if (operation == (BIO_CB_READ | BIO_CB_RETURN)) BIO_set_retry_read(bio);
  }
  return result;
}
static inline void copenssl_retry_shortages(SSL *ssl) {
  BIO_set_callback_ex(SSL_get_wbio(ssl), copenssl_retry_shortage);
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

/// SSL_CTX_set_tlsext_servername_callback is a macro; the callback runs once the client's server name is known (RFC 6066 §3).
static inline void copenssl_set_server_name_callback(SSL_CTX *context, int (*callback)(SSL *, int *, void *)) {
  SSL_CTX_set_tlsext_servername_callback(context, callback);
}

/// Whether the certificate of a context names the host: exactly, or with `wildcard` also by a `*.` that stands for one label.
static inline int copenssl_names_host(const SSL_CTX *context, const char *host, int wildcard) {
  X509 *certificate = SSL_CTX_get0_certificate(context);
  unsigned int flags = X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS;
  if (!wildcard) flags |= X509_CHECK_FLAG_NO_WILDCARDS;
  return certificate != NULL && X509_check_host(certificate, host, 0, flags, NULL) == 1;
}

/// Sets up AES-256-CBC and HMAC-SHA-256 for one session ticket; `secret` is 32 bytes of cipher key, then 32 of MAC key.
/// When it encrypts it fills `iv` (16 bytes). Returns 1 on success.
static inline int copenssl_prepare_ticket(unsigned char *secret, unsigned char *iv, EVP_CIPHER_CTX *cipher,
                                          EVP_MAC_CTX *mac, int encrypts) {
  if (encrypts && RAND_bytes(iv, 16) != 1) return 0;
  char digest[] = "SHA256";
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, secret + 32, 32),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
      OSSL_PARAM_construct_end(),
  };
  if (EVP_MAC_CTX_set_params(mac, parameters) != 1) return 0;
  return EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, secret, iv, encrypts);
}
