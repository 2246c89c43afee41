// OpenSSL's certificate and key macros as functions that Swift can call.
#pragma once
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/obj_mac.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// `EVP_EC_gen` is a variadic macro.
static inline EVP_PKEY *understudy_generate_p256_key(void) { return EVP_EC_gen("P-256"); }

// `BIO_get_mem_data` is a macro over `BIO_ctrl`.
static inline long understudy_bio_bytes(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

// `X509V3_CTX` holds pointers to its certificate, so it must not outlive one call; returns 1 on success.
static inline int understudy_add_extension(X509 *certificate, int nid, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
  context.db = NULL;
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
  if (extension == NULL) return 0;
  int added = X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return added;
}
