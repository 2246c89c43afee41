/// Why the backend could not start, or its clock could not be set; no case contains a secret.
package enum BackendStartError: Error, Equatable, Sendable {
  /// The configuration contradicts itself; the text says what to change.
  case configuration(String)
  /// The database could not be opened, migrated or written; the text is for the log.
  case database(String)
  /// The data of the database that backends share belongs to another key.
  case foreignKey
  /// The certificate could not be read, created or stored; the text is for the log.
  case certificate(String)
  /// The listener could not be started; the text is for the log.
  case listener(String)
  /// The clock can be advanced by 1 s to 400 days at a time, and by 100 years in total.
  case clockOutOfRange
}
