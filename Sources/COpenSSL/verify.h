// OpenSSL's stack macros and option bits as functions, for a look at a verified chain.
#pragma once
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

// `sk_X509_num` and `sk_X509_value` are macros over an untyped stack.
static inline int understudy_chain_count(const STACK_OF(X509) *chain) { return sk_X509_num(chain); }
static inline X509 *understudy_chain_certificate(const STACK_OF(X509) *chain, int index) {
  return sk_X509_value(chain, index);
}

// `SSL_OP_NO_RENEGOTIATION` is a computed macro.
static inline void understudy_refuse_renegotiation(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
}
