/// Who may use devices: everybody alike, or persons, each of whom has devices of their own.
package protocol DeviceAccessPolicy: Sendable {
  /// The person with a name, who is stored if new; nil if persons do not matter.
  func person(named name: String) async throws -> Person?

  /// What a caller may do in each workspace, by its id; nil if everybody may do everything.
  func access(of person: Person?) async throws -> [String: WorkspaceAccess]?

  /// Throws ``PersonError`` if somebody else has taken the account that has these identifiers.
  ///
  /// With `mustKnow`, it also throws if there are none to compare and others have taken any account.
  func check(_ identifiers: [Identifier], for person: Person?, mustKnow: Bool) async throws

  /// Writes down what a person is about to change, and who asks for it; returns the entry's number, or nil if nobody wants to know.
  func begin(
    _ action: String, by person: Person, deviceID: String?, client: String, requestID: String
  ) async throws -> Int64?

  /// Adds the status of the answer to an entry.
  func end(_ entry: Int64, status: Int) async throws
}

/// Access without persons: whoever may use the console may use all devices.
package struct SingleUserAccess: DeviceAccessPolicy {
  package init() {}
  package func person(named name: String) -> Person? { nil }
  package func access(of person: Person?) -> [String: WorkspaceAccess]? { nil }
  package func check(_ identifiers: [Identifier], for person: Person?, mustKnow: Bool) {}
  package func begin(_ action: String, by person: Person, deviceID: String?, client: String, requestID: String) -> Int64? { nil }
  package func end(_ entry: Int64, status: Int) {}
}
