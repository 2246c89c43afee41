/// Somebody whom the proxy in front of the console has named.
package struct Person: Hashable, Sendable {
  /// A person's permissions; each role includes those before it.
  package enum Role: String, Codable, CaseIterable, Comparable, Sendable {
    /// Look at devices of their own and at what others share.
    case viewer
    /// Change what is theirs.
    case tester
    /// Change what affects everybody: roles, persons and the embedded backend.
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
  /// The name as the proxy says it, such as an email address.
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

/// Why a person cannot have something.
package enum PersonError: Error, Hashable, Sendable {
  /// Another person has taken the account: who, and until when in seconds since 1970.
  case accountTaken(by: String, until: Double, retryAfterSeconds: Int)
  /// It is not known whose account it is, so it may be one that somebody else has taken.
  case accountUnread
  /// The person has taken as many accounts, or made as many workspaces, as one can.
  case tooManyAccounts(Int), tooManyWorkspaces(Int)
  /// The workspace has as many links, or members, as it can.
  case tooManyLinks(Int), tooManyMembers(Int)
}
