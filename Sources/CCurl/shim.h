// libcurl's variadic setopt and getinfo as typed functions that Swift can call.
//
// The name in parentheses passes by the type-checking macros of curl/typecheck-gcc.h: the option is no constant here.
#pragma once
#include <curl/curl.h>

static inline CURLcode understudy_set_long(CURL *easy, CURLoption option, long value) {
  return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode understudy_set_size(CURL *easy, CURLoption option, curl_off_t value) {
  return (curl_easy_setopt)(easy, option, value);
}
// libcurl copies the text of every option but CURLOPT_POSTFIELDS.
static inline CURLcode understudy_set_text(CURL *easy, CURLoption option, const char *value) {
  return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode understudy_set_pointer(CURL *easy, CURLoption option, void *value) {
  return (curl_easy_setopt)(easy, option, value);
}
// The list must outlive the transfer.
static inline CURLcode understudy_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return (curl_easy_setopt)(easy, option, value);
}
// The bytes are copied.
static inline CURLcode understudy_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
  struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
  return (curl_easy_setopt)(easy, option, &blob);
}

// One shape serves CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION.
typedef size_t (*understudy_write_callback)(char *bytes, size_t size, size_t count, void *context);
static inline CURLcode understudy_set_write_function(CURL *easy, CURLoption option, understudy_write_callback callback) {
  return (curl_easy_setopt)(easy, option, callback);
}
static inline CURLcode understudy_set_prereq_function(CURL *easy, curl_prereq_callback callback) {
  return (curl_easy_setopt)(easy, CURLOPT_PREREQFUNCTION, callback);
}
static inline CURLcode understudy_set_progress_function(CURL *easy, curl_xferinfo_callback callback) {
  return (curl_easy_setopt)(easy, CURLOPT_XFERINFOFUNCTION, callback);
}
static inline CURLcode understudy_set_tls_context_function(CURL *easy, curl_ssl_ctx_callback callback) {
  return (curl_easy_setopt)(easy, CURLOPT_SSL_CTX_FUNCTION, callback);
}

static inline CURLcode understudy_get_long(CURL *easy, CURLINFO info, long *value) {
  return (curl_easy_getinfo)(easy, info, value);
}
static inline CURLcode understudy_get_size(CURL *easy, CURLINFO info, curl_off_t *value) {
  return (curl_easy_getinfo)(easy, info, value);
}

static inline CURLcode understudy_get_text(CURL *easy, CURLINFO info, char **value) {
  return (curl_easy_getinfo)(easy, info, value);
}

static inline CURLMcode understudy_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return (curl_multi_setopt)(multi, option, value);
}

// No lock functions: every handle of the share lives on one thread.
static inline CURLSHcode understudy_share_tls_sessions(CURLSH *share) {
  return (curl_share_setopt)(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
}

// `CURLVERSION_NOW` is a macro over a constant that Swift does not see; NULL where libcurl has no TLS.
static inline const char *understudy_tls_library(void) { return curl_version_info(CURLVERSION_NOW)->ssl_version; }
