import Domain
package import Storage

/// The tables of people, their additional keys, their reservations, and their changes.
package enum PersonSchema {
  /// For a database of several consoles.
  package static let migrations = StorageMigrations([
    .init("1 persons", script: script), .init("2 workspaces", script: Workspaces.schema),
  ])

  /// All tables for a file, where they are created without a step of a migration: an earlier version can continue with the file,
  /// because it ignores them.
  package static let tables = script + "\n" + Workspaces.schema

  /// Voids rows that may have been inserted to become an owner, or to gain access to another person's data.
  package static let voiding = """
    UPDATE person SET "role" = '\(Person.Role.viewer.rawValue)';
    DELETE FROM account_lease;
    DELETE FROM workspace_member;
    DELETE FROM workspace_link;
    """

  /// A person is a browser too, so that devices need no second owner; deleting the browser deletes the person.
  private static let script = """
    CREATE TABLE IF NOT EXISTS person (
      person_id TEXT NOT NULL PRIMARY KEY REFERENCES browser (browser_id) ON DELETE CASCADE,
      name TEXT NOT NULL UNIQUE,
      role TEXT NOT NULL,
      made_at {real} NOT NULL,
      mac {bytes}
    );
    CREATE TABLE IF NOT EXISTS device_key (
      key_hash {bytes} NOT NULL PRIMARY KEY,
      device_id TEXT NOT NULL REFERENCES device (device_id) ON DELETE CASCADE,
      made_at {real} NOT NULL,
      mac {bytes}
    );
    CREATE INDEX IF NOT EXISTS device_key_on_device_id ON device_key (device_id);
    CREATE TABLE IF NOT EXISTS audit (
      entry {identity},
      at {real} NOT NULL,
      person_id TEXT NOT NULL,
      person TEXT NOT NULL,
      action TEXT NOT NULL,
      device_id TEXT,
      client TEXT NOT NULL,
      request_id TEXT NOT NULL,
      status {integer}
    );
    CREATE INDEX IF NOT EXISTS audit_on_at ON audit (at);
    """ + "\n" + AccountLeases.schema
}
