import Backend
import Storage

/// The flags of `understudy backend` with the content of the files that they name; nothing is opened yet.
@dynamicMemberLookup
struct BackendCommandSettings: Sendable {
  private let command: BackendCommand
  /// The data folder; nil with a database.
  let dataFolder: String?
  /// The database that several backends share; nil for the data folder.
  let database: PostgreSQLStorage?
  /// The source of the key that seals the secrets in the database.
  let vaultKey: VaultKeySource
  /// The key with which every call must be signed; nil if calls need no signature.
  let signingKey: SigningKey?
  /// The certificate; nil for the one in the data folder or database.
  let tls: TLSFiles?
  /// The token of the `/dev` routes; nil to disable them.
  let developerToken: String?
  /// The recorded calls to respond from; nil for a backend with its own data.
  let recording: ReplayedRecording?

  /// A flag's value.
  subscript<Value>(dynamicMember flag: KeyPath<BackendCommand, Value>) -> Value { command[keyPath: flag] }

  /// Reads the files and checks the flags together; throws `StartFailure`.
  init(_ command: BackendCommand) throws(StartFailure) {
    self.command = command
    database = try command.database.storage()?.inSchema(ReferenceBackend.schema)
    dataFolder = database == nil ? command.data ?? "\(ServeSettings.stateFolder())-backend" : nil
    vaultKey = VaultKeySource(path: command.vaultKeyFile, dataFolder: nil)
    guard database == nil || vaultKey.isGiven else {
      throw .configuration("--database requires --vault-key-file, the same for every backend")
    }
    signingKey = try command.signing.key()
    tls = try command.tls.files()
    developerToken = try SecretFile.read(command.devTokenFile, flag: "--dev-token-file")
    recording = try command.replay.map { path throws(StartFailure) in try RecordingFile.read(path, flag: "--replay") }
  }
}
