/// Who may use devices: everybody alike, or persons, each of whom has devices of their own.
package protocol DeviceUsers: Sendable {
  /// The person with a name, who is stored if new; nil if persons do not matter.
  func person(named name: String) async throws -> Person?

  /// What a caller may do in each workspace, by its id; nil if everybody may do everything.
  func access(of person: Person?) async throws -> [String: WorkspaceAccess]?

  /// Throws ``PersonError`` if somebody else has taken the account that has these identifiers.
  ///
  /// With `mustKnow`, it also throws if there are none to compare and others have taken any account.
  func check(_ identifiers: [Identifier], for person: Person?, mustKnow: Bool) async throws

  /// Writes down what a person is about to change; returns the entry's number, or nil if nobody wants to know.
  func begin(_ change: PersonChange) async throws -> Int64?

  /// Adds the status of the answer to an entry.
  func end(_ entry: Int64, status: Int) async throws

  /// The ids of all workspaces; nil if there can be none.
  func workspaceIDs() async throws -> Set<String>?

  /// Deletes what was written down too long ago.
  func prune() async throws
}

/// What a person is about to change.
package struct PersonChange: Sendable {
  package let person: Person
  /// The method and path of the call.
  package let action: String
  package let deviceID: String?
  /// The address that the proxy forwards.
  package let client: String
  package let requestID: String

  package init(person: Person, action: String, deviceID: String?, client: String, requestID: String) {
    (self.person, self.action, self.deviceID) = (person, action, deviceID)
    (self.client, self.requestID) = (client, requestID)
  }
}

/// Everybody who may use the console may use it alike.
package struct Everybody: DeviceUsers {
  package init() {}
  package func person(named name: String) -> Person? { nil }
  package func access(of person: Person?) -> [String: WorkspaceAccess]? { nil }
  package func check(_ identifiers: [Identifier], for person: Person?, mustKnow: Bool) {}
  package func begin(_ change: PersonChange) -> Int64? { nil }
  package func end(_ entry: Int64, status: Int) {}
  package func workspaceIDs() -> Set<String>? { nil }
  package func prune() {}
}
