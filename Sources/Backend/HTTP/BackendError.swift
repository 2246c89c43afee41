/// Why the backend could not be started, or its clock not be set; no case carries a secret.
package enum BackendError: Error, Equatable, Sendable {
  /// The configuration contradicts itself; carries what to change.
  case configuration(String)
  /// The database could not be opened, brought up to date or written; carries a text for the log.
  case database(String)
  /// The certificate could not be read, made or kept; carries a text for the log.
  case certificate(String)
  /// The listener could not be started; carries a text for the log.
  case listener(String)
  /// The clock goes forward by 1 s to 400 days at a time, and by 100 years in all.
  case clockOutOfRange
}
