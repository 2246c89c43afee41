/// The users of devices: all callers alike, or people, each with their own devices.
package protocol DeviceAccessPolicy: Sendable {
  /// The person with a name, who is stored if new; nil on a console without people.
  func person(named name: String) async throws -> Person?

  /// A caller's permissions in each workspace, by its id; nil if every caller has all permissions.
  func access(of person: Person?) async throws -> [String: WorkspaceAccess]?

  /// Throws ``PersonError`` if another person has reserved the account with these identifiers.
  ///
  /// With `mustKnow`, it also throws if there are none to compare and other people have reserved any account.
  func check(_ identifiers: [Identifier], for person: Person?, mustKnow: Bool) async throws

  /// Records a person's change before it is made; returns the entry's number, or nil without an audit log.
  func begin(
    _ action: String, by person: Person, deviceID: String?, client: String, requestID: String
  ) async throws -> Int64?

  /// Adds the status of the response to an entry.
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
