import Storage

/// The tables. Times are milliseconds since 1970 on the backend's clock; tokens and codes are stored as hashes.
enum DatabaseSchema {
  /// The tables that a reset empties, children first; `stored_value`, which contains the id of the data, stays.
  static let tablesToReset = [
    "inbox_message", "login_challenge", "login_send", "idempotency_record", "token_pair", "session", "device", "cue", "profile",
    "account",
  ]

  /// All migrations; one that was released never changes.
  static let migrations = StorageMigrations([
    .init("accounts, sessions and login", script: first),
    .init(
      "inbox",
      script: """
        CREATE TABLE inbox_message (id {identity}, sealed {bytes} NOT NULL, expires_at {integer} NOT NULL);
        CREATE INDEX inbox_message_by_expiry ON inbox_message (expires_at);
        """),
    .init("cues, idempotency and deletion", script: third),
    .init(
      "clients of sends",
      script: """
        ALTER TABLE login_send ADD COLUMN client TEXT NOT NULL DEFAULT '';
        CREATE INDEX login_send_by_client ON login_send (client, sent_at);
        """),
  ])

  private static let third = """
    CREATE TABLE cue (
      cue_id TEXT PRIMARY KEY,
      profile_id TEXT NOT NULL REFERENCES profile ON DELETE CASCADE,
      prompt TEXT NOT NULL,
      answer TEXT NOT NULL,
      stage TEXT NOT NULL,
      position {integer} NOT NULL,
      updated_at {integer} NOT NULL
    );
    CREATE INDEX cue_by_position ON cue (profile_id, position);
    CREATE INDEX cue_by_update ON cue (profile_id, updated_at);

    CREATE TABLE idempotency_record (
      account_id TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
      path TEXT NOT NULL,
      idempotency_key TEXT NOT NULL,
      request_hash {bytes} NOT NULL,
      status {integer} NOT NULL,
      body {bytes},
      recorded_at {integer} NOT NULL,
      PRIMARY KEY (account_id, path, idempotency_key)
    ) {by key};
    CREATE INDEX idempotency_record_by_time ON idempotency_record (recorded_at);

    CREATE INDEX account_by_deletion ON account (deletion_scheduled_for) WHERE deletion_scheduled_for IS NOT NULL;
    CREATE INDEX session_by_device ON session (device_id);
    CREATE INDEX session_by_expiry ON session (expires_at);

    ALTER TABLE login_send ADD COLUMN device_id TEXT;
    CREATE INDEX login_send_by_device ON login_send (device_id, sent_at);
    """

  private static let first = """
    CREATE TABLE stored_value (name TEXT PRIMARY KEY, value {bytes} NOT NULL) {by key};

    CREATE TABLE account (
      account_id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL UNIQUE,
      identifier TEXT NOT NULL UNIQUE,
      identifier_kind TEXT NOT NULL,
      display_name TEXT,
      active_profile_id TEXT,
      created_at {integer} NOT NULL,
      deletion_scheduled_for {integer}
    );

    CREATE TABLE profile (
      profile_id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
      language_code TEXT NOT NULL,
      display_name TEXT,
      created_at {integer} NOT NULL,
      UNIQUE (account_id, language_code)
    );

    CREATE TABLE device (device_id TEXT PRIMARY KEY, registered_at {integer} NOT NULL);

    CREATE TABLE session (
      session_id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL REFERENCES account ON DELETE CASCADE,
      device_id TEXT NOT NULL,
      created_at {integer} NOT NULL,
      expires_at {integer} NOT NULL,
      ended_at {integer},
      end_reason TEXT
    );
    CREATE INDEX session_by_account ON session (account_id);

    CREATE TABLE token_pair (
      pair_id TEXT PRIMARY KEY,
      session_id TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
      refresh_hash {bytes} NOT NULL UNIQUE,
      access_hash {bytes} NOT NULL UNIQUE,
      access_expires_at {integer} NOT NULL,
      refresh_expires_at {integer} NOT NULL,
      superseded_at {integer},
      successor_id TEXT,
      successor_sealed {bytes}
    );
    CREATE INDEX token_pair_by_session ON token_pair (session_id);
    CREATE INDEX token_pair_by_successor ON token_pair (successor_id);

    CREATE TABLE login_challenge (
      challenge_id TEXT PRIMARY KEY,
      identifier TEXT NOT NULL UNIQUE,
      identifier_kind TEXT NOT NULL,
      link_hash {bytes} UNIQUE,
      code_hash {bytes},
      state TEXT,
      attempts {integer} NOT NULL DEFAULT 0,
      is_decoy {integer} NOT NULL,
      expires_at {integer} NOT NULL
    );
    CREATE INDEX login_challenge_by_expiry ON login_challenge (expires_at);

    CREATE TABLE login_send (
      id {identity},
      identifier TEXT NOT NULL,
      sent_at {integer} NOT NULL
    );
    CREATE INDEX login_send_by_identifier ON login_send (identifier, sent_at);
    CREATE INDEX login_send_by_time ON login_send (sent_at);
    """
}
