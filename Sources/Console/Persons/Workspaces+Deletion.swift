import Storage

extension Workspaces {
  /// Before a person is deleted: has another member manage each workspace that nobody else manages, or deletes it without one.
  ///
  /// Of the members, one who may write is preferred, then the first by name.
  static func handOver(_ transaction: any StorageTransaction, _ rows: AccessRows, from personID: String) throws {
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

  /// The members of a workspace other than a person, as their signed rows say.
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
