/// A person whom the proxy in front of the console has named.
package struct Person: Hashable, Sendable {
  /// A person's permissions; each role includes those before it.
  package enum Role: String, Codable, CaseIterable, Comparable, Sendable {
    /// Look at their own devices and at shared recordings.
    case viewer
    /// Change their own devices and data.
    case tester
    /// Change data of all users: roles, people and the embedded backend.
    case owner

    package static func < (one: Role, other: Role) -> Bool {
      switch (one, other) {
      case (.viewer, .tester), (.viewer, .owner), (.tester, .owner): true
      default: false
      }
    }
  }

  /// The id, which is that of the person's browsers too: all of them share the person's devices.
  package let id: String
  /// The name from the proxy, such as an email address.
  package let name: String
  package let role: Role

  package init(id: String, name: String, role: Role) { (self.id, self.name, self.role) = (id, name, role) }
}

/// A person's permissions for the recordings of a workspace; each includes those before it.
package enum WorkspaceAccess: String, Codable, CaseIterable, Comparable, Sendable {
  case read, write
  /// Also invite, remove members, and delete the workspace.
  case manage

  package static func < (one: WorkspaceAccess, other: WorkspaceAccess) -> Bool {
    switch (one, other) {
    case (.read, .write), (.read, .manage), (.write, .manage): true
    default: false
    }
  }
}

/// Why a person's request is rejected.
package enum PersonError: Error, Hashable, Sendable {
  /// Another person has reserved the account: who, and until when in seconds since 1970.
  case accountTaken(by: String, until: Double, retryAfterSeconds: Int)
  /// The account is unknown, so it may be one that another person has reserved.
  case accountUnread
  /// The person has reserved the maximum number of accounts, or created the maximum number of workspaces.
  case tooManyAccounts(Int), tooManyWorkspaces(Int)
  /// The workspace has the maximum number of links or members.
  case tooManyLinks(Int), tooManyMembers(Int)
}
