package import Storage

/// The tables of several consoles on one database, which only PostgreSQL has.
package enum LeaseSchema {
  /// `life` is the lock that a console holds while it runs; `moved_at`, of a device's last move, and `free_until`, until when it
  /// may move repeatedly, are seconds since 1970 by the database's clock.
  package static let migrations = StorageMigrations([
    .init(
      "1 leases",
      script: """
        CREATE TABLE console (
          console_id TEXT PRIMARY KEY,
          life {integer} NOT NULL,
          started_at {real} NOT NULL
        );
        CREATE TABLE device_lease (
          device_id TEXT PRIMARY KEY REFERENCES device ON DELETE CASCADE,
          epoch {integer} NOT NULL,
          console_id TEXT,
          wanted_by TEXT,
          moved_at {real} NOT NULL
        );
        CREATE INDEX device_lease_console ON device_lease (console_id);
        """),
    .init("2 free moves", script: "ALTER TABLE device_lease ADD COLUMN free_until {real} NOT NULL DEFAULT 0"),
  ])
}
