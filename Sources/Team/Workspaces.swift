package import Domain
package import FoundationEssentials
package import Storage
import Text
import Vault

/// The places of recordings: each person has their own workspace, and others that several people share.
///
/// Memberships are signed rows, so that writing to the database gives no access. A link gives access to every person who opens
/// it, until it ends; its token is stored as a hash.
package struct Workspaces: Sendable {
  /// A workspace as a person sees it.
  package struct Listed: Sendable {
    package let id: String
    package let name: String
    package let access: WorkspaceAccess
  }

  /// A person with access to a workspace.
  package struct Member: Sendable {
    package let personID: String
    package let name: String
    package let access: WorkspaceAccess
  }

  /// How many workspaces a person can make.
  private static let personLimit = 20
  /// How many members a workspace can have.
  private static let memberLimit = 200
  /// How many links of a workspace are valid at a time.
  private static let linkLimit = 50
  /// The longest time that a link is valid, in hours: 30 days.
  package static let linkHours = 720

  /// The script that creates the tables.
  static let schema = """
    CREATE TABLE IF NOT EXISTS workspace (
      workspace_id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      made_by TEXT NOT NULL,
      made_at {real} NOT NULL
    );
    CREATE TABLE IF NOT EXISTS workspace_member (
      workspace_id TEXT NOT NULL REFERENCES workspace (workspace_id) ON DELETE CASCADE,
      person_id TEXT NOT NULL REFERENCES person (person_id) ON DELETE CASCADE,
      access TEXT NOT NULL,
      mac {bytes},
      PRIMARY KEY (workspace_id, person_id)
    );
    CREATE INDEX IF NOT EXISTS workspace_member_on_person_id ON workspace_member (person_id);
    CREATE TABLE IF NOT EXISTS workspace_link (
      token_hash {bytes} NOT NULL PRIMARY KEY,
      workspace_id TEXT NOT NULL REFERENCES workspace (workspace_id) ON DELETE CASCADE,
      access TEXT NOT NULL,
      until_at {real} NOT NULL,
      mac {bytes}
    );
    CREATE INDEX IF NOT EXISTS workspace_link_on_workspace_id ON workspace_link (workspace_id);
    """

  private let storage: any StorageEngine
  private let rows: AccessRows
  private let wall: @Sendable () -> Date

  /// The workspaces of a database, whose signed rows `rows` reads and writes.
  package init(storage: any StorageEngine, rows: AccessRows, wall: @escaping @Sendable () -> Date) {
    self.storage = storage
    self.rows = rows
    self.wall = wall
  }

  // MARK: Reading

  /// The ids of all workspaces, including each person's own.
  package func ids() async throws -> Set<String> {
    try await storage.read { transaction in
      Set(
        try transaction.rows("SELECT person_id AS id FROM person UNION SELECT workspace_id AS id FROM workspace").map {
          try $0.text("id")
        })
    }
  }

  /// Returns a person's permissions in each workspace, by its id; the person's own workspace has the person's id.
  package func access(of person: Person) async throws -> [String: WorkspaceAccess] {
    try await storage.read { [rows] transaction in
      var access = Dictionary(
        try rows.fetch(transaction, .workspaceMember, where: "person_id = ?", person.id).compactMap { row in
          WorkspaceAccess(rawValue: try row.text("access")).map { (id: (try? row.text("workspace_id")) ?? "", $0) }
        }, uniquingKeysWith: max)
      // Not if the person was deleted meanwhile: no one could read recordings there.
      if try transaction.first("SELECT 1 AS one FROM person WHERE person_id = ?", person.id) != nil {
        access[person.id] = .manage
      }
      return access
    }
  }

  /// The workspaces of a person: their own first, then by name.
  package func all(of person: Person) async throws -> [Listed] {
    let access = try await access(of: person)
    let names = try await storage.read { transaction in
      try transaction.rows(
        """
        SELECT workspace_id, name FROM workspace
        WHERE workspace_id IN (SELECT workspace_id FROM workspace_member WHERE person_id = ?) ORDER BY name, workspace_id
        """, person.id
      ).map { (id: try $0.text("workspace_id"), name: try $0.text("name")) }
    }
    return [Listed(id: person.id, name: person.name, access: .manage)]
      + names.compactMap { one in access[one.id].map { Listed(id: one.id, name: one.name, access: $0) } }
  }

  /// The people with access to a workspace, by name.
  package func members(of id: String) async throws -> [Member] {
    try await storage.read { [rows] transaction in
      let names = Dictionary(
        try transaction.rows(
          "SELECT person_id, name FROM person WHERE person_id IN (SELECT person_id FROM workspace_member WHERE workspace_id = ?)",
          id
        ).map { (try $0.text("person_id"), try $0.text("name")) }, uniquingKeysWith: { first, _ in first })
      return try rows.fetch(transaction, .workspaceMember, where: "workspace_id = ?", id).compactMap { row in
        let personID = try row.text("person_id")
        guard let name = names[personID], let access = WorkspaceAccess(rawValue: try row.text("access")) else { return nil }
        return Member(personID: personID, name: name, access: access)
      }.sorted { $0.name < $1.name }
    }
  }

  // MARK: Changing

  /// Creates a workspace; throws ``PersonError`` if the person has created too many.
  package func make(_ name: String, by person: Person) async throws -> Listed {
    let id = SecureRandom.uuid()
    let now = wall().timeIntervalSince1970
    try await storage.write { [rows] transaction in
      guard try transaction.number("SELECT count(*) FROM workspace WHERE made_by = ?", person.id) ?? 0 < Self.personLimit else {
        throw PersonError.tooManyWorkspaces(Self.personLimit)
      }
      try transaction.execute(
        "INSERT INTO workspace (workspace_id, name, made_by, made_at) VALUES (?, ?, ?, ?)", id, name, person.id, now)
      try rows.insert(transaction, into: .workspaceMember, [id, person.id, WorkspaceAccess.manage.rawValue])
    }
    return Listed(id: id, name: name, access: .manage)
  }

  /// Deletes a workspace with its memberships and links; its recordings are removed afterwards.
  package func delete(_ id: String) async throws {
    try await storage.write { try $0.execute("DELETE FROM workspace WHERE workspace_id = ?", id) }
  }

  /// Creates a link; returns its token, and when it ends in seconds since 1970. Throws ``PersonError`` if there are too many.
  package func makeLink(to id: String, _ access: WorkspaceAccess, hours: Int) async throws -> (token: String, until: Double) {
    let token = Base64URL.encode(SecureRandom.bytes(32))
    let now = wall().timeIntervalSince1970
    let until = now + Double(hours) * 3600
    try await storage.write { [rows] transaction in
      try transaction.execute("DELETE FROM workspace_link WHERE until_at <= ?", now)
      guard try transaction.number("SELECT count(*) FROM workspace_link WHERE workspace_id = ?", id) ?? 0 < Self.linkLimit else {
        throw PersonError.tooManyLinks(Self.linkLimit)
      }
      try rows.insert(transaction, into: .workspaceLink, [SHA256Digest.hash(token), id, access.rawValue, until])
    }
    return (token, until)
  }

  /// Ends all links to a workspace.
  package func endLinks(to id: String) async throws {
    try await storage.write { try $0.execute("DELETE FROM workspace_link WHERE workspace_id = ?", id) }
  }

  /// Gives a person the access of a link, unless the person has more; nil if the link is unknown or has ended.
  package func join(_ token: String, _ person: Person) async throws -> Listed? {
    let now = wall().timeIntervalSince1970
    return try await storage.write { [rows] transaction -> Listed? in
      guard
        let link = try rows.first(
          transaction, .workspaceLink, where: "token_hash = ? AND until_at > ?", SHA256Digest.hash(token), now),
        let access = WorkspaceAccess(rawValue: try link.text("access"))
      else { return nil }
      let id = try link.text("workspace_id")
      guard let name = try transaction.first("SELECT name FROM workspace WHERE workspace_id = ?", id)?.text("name") else {
        return nil
      }
      let condition = "workspace_id = ? AND person_id = ?"
      let known = try rows.first(transaction, .workspaceMember, where: condition, id, person.id).flatMap {
        WorkspaceAccess(rawValue: try $0.text("access"))
      }
      if let known {
        if known < access {
          try rows.change(transaction, .workspaceMember, set: "access", to: access.rawValue, where: condition, id, person.id)
        }
        return Listed(id: id, name: name, access: max(known, access))
      }
      let count = try transaction.number("SELECT count(*) FROM workspace_member WHERE workspace_id = ?", id) ?? 0
      guard count < Self.memberLimit else {
        throw PersonError.tooManyMembers(Self.memberLimit)
      }
      // Any remaining row was not written by a console.
      try transaction.execute("DELETE FROM workspace_member WHERE \(condition)", id, person.id)
      try rows.insert(transaction, into: .workspaceMember, [id, person.id, access.rawValue])
      return Listed(id: id, name: name, access: access)
    }
  }

  /// Removes a member, at the member's or another person's request; false if there is none, or if the workspace would have no
  /// manager.
  ///
  /// A removed member might have a link, so all links end.
  package func remove(_ personID: String, from id: String, by remover: Person) async throws -> Bool {
    try await storage.write { [rows] transaction in
      let managers = try rows.fetch(
        transaction, .workspaceMember, where: "workspace_id = ? AND access = ?", id, WorkspaceAccess.manage.rawValue)
      let others = try managers.filter { try $0.text("person_id") != personID }
      guard !others.isEmpty else { return false }
      if remover.id != personID { try transaction.execute("DELETE FROM workspace_link WHERE workspace_id = ?", id) }
      return try transaction.execute("DELETE FROM workspace_member WHERE workspace_id = ? AND person_id = ?", id, personID) > 0
    }
  }
}

extension Workspaces {
  /// Runs before a person is deleted: makes another member the manager of each workspace that only the person manages, or deletes
  /// it without one.
  ///
  /// Prefers a member who may write, then the first by name.
  static func transferManagement(_ transaction: any StorageTransaction, _ rows: AccessRows, from personID: String) throws {
    let managed = try rows.fetch(
      transaction, .workspaceMember, where: "person_id = ? AND access = ?", personID, WorkspaceAccess.manage.rawValue)
    for row in managed {
      let id = try row.text("workspace_id")
      let others = try others(transaction, rows, in: id, than: personID)
      guard !others.contains(where: { $0.access == .manage }) else { continue }
      let heir = others.min { one, other in (other.access, one.name) < (one.access, other.name) }
      guard let heir else {
        try transaction.execute("DELETE FROM workspace WHERE workspace_id = ?", id)
        continue
      }
      try rows.change(
        transaction, .workspaceMember, set: "access", to: WorkspaceAccess.manage.rawValue,
        where: "workspace_id = ? AND person_id = ?", id, heir.personID)
    }
  }

  /// The members of a workspace other than a person, by their signed rows.
  private static func others(
    _ transaction: any StorageTransaction, _ rows: AccessRows, in id: String, than personID: String
  ) throws -> [Member] {
    try rows.fetch(transaction, .workspaceMember, where: "workspace_id = ? AND person_id <> ?", id, personID).compactMap { row in
      let other = try row.text("person_id")
      guard let access = WorkspaceAccess(rawValue: try row.text("access")),
        let name = try rows.first(transaction, .person, where: "person_id = ?", other)?.text("name")
      else { return nil }
      return Member(personID: other, name: name, access: access)
    }
  }
}
