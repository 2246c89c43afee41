import Console
import Foundation
import Reactor
import Storage

/// Checks the resources of a console with the doctor's flags, and changes nothing.
struct Diagnosis: Sendable {
  private let command: DoctorCommand
  private let variables: [String: String]

  /// The least space on the disk of the data folder, in bytes.
  private static let space: Int64 = 200 << 20

  /// `variables` is the environment, which can name a proxy.
  init(_ command: DoctorCommand, variables: [String: String] = ProcessInfo.processInfo.environment) {
    self.command = command
    self.variables = variables
  }

  /// All findings, in the order of ``DoctorFinding/Subject``.
  func findings() async -> [DoctorFinding] {
    var findings = [DoctorFinding.ok(.version, "understudy \(Version.text)"), pages()]
    if command.database.database == nil { findings.append(folder()) }
    findings.append(key())
    findings.append(port())
    if command.database.database != nil { findings.append(await database()) }
    return findings + (await backend())
  }

  private var dataFolder: String? {
    command.database.database == nil ? command.data ?? ServeSettings.stateFolder() : nil
  }

  private func pages() -> DoctorFinding {
    do throws(StartFailure) { return .ok(.pages, try ServeSettings.publicFolder(command.public)) } catch {
      return .problem(.pages, error.message, advice: "Install the package again, or name the folder with --public.")
    }
  }

  private func folder() -> DoctorFinding {
    let path = dataFolder ?? ""
    var status = stat()
    guard lstat(path, &status) == 0 else {
      return .ok(.data, "\(path) does not exist yet; the first start creates it")
    }
    do throws(StartFailure) { try FolderInspection(flag: "--data").check(path) } catch {
      return .problem(
        .data, error.message, advice: "Give the folder and everything in it to yourself alone, or name another with --data.")
    }
    guard access(path, W_OK) == 0 else {
      return .problem(.data, "\(path) cannot be written", advice: "Make it writable, or name another folder with --data.")
    }
    var disk = statvfs()
    if statvfs(path, &disk) == 0, Int64(clamping: disk.f_bavail) < Self.space / Int64(max(1, disk.f_frsize)) {
      return .problem(
        .data, "\(path): the disk has less than \(Self.space >> 20) MiB left", advice: "Free some space, or use another disk.")
    }
    let use = Self.isLocked("\(path)/lock") ? ", in use by a console" : ""
    return .ok(.data, "\(path), \(Self.megabytes(Self.size(of: path)))\(use)")
  }

  /// The size of all files in a folder, in bytes.
  private static func size(of path: String) -> Int64 {
    let names = FileManager.default.enumerator(atPath: path)
    var size: Int64 = 0
    while let name = names?.nextObject() as? String {
      var status = stat()
      if lstat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG { size += Int64(status.st_size) }
    }
    return size
  }

  private static func megabytes(_ bytes: Int64) -> String {
    let tenths = (bytes + 50_000) / 100_000
    return "\(tenths / 10).\(tenths % 10) MB"
  }

  /// Whether a process holds the lock of a data folder.
  private static func isLocked(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0
  }

  private func key() -> DoctorFinding {
    let source = VaultKeySource(path: command.vaultKeyFile, dataFolder: dataFolder)
    guard source.isGiven || dataFolder != nil else {
      return .problem(
        .key, "--database requires --vault-key-file, the same for every console",
        advice: "Make one with: head -c 32 /dev/urandom > vault.key && chmod 600 vault.key")
    }
    do throws(StartFailure) {
      guard try source.loadExisting() != nil else {
        return .ok(.key, "\(source.shown) does not exist yet; the first start creates it")
      }
      return .ok(.key, source.shown)
    } catch {
      return .problem(
        .key, error.message, advice: "Put the right key back with mode 600; without it, everybody is signed out.")
    }
  }

  private func port() -> DoctorFinding {
    guard command.port != 0 else { return .ok(.port, "a free one is picked") }
    for address in ServeSettings.addresses(of: command.host) {
      guard let address = SocketAddress(host: address, port: command.port) else { continue }
      do throws(ReactorError) { try PortProbe.check(address) } catch {
        switch error {
        // A machine without IPv6 still has a localhost.
        case .addressUnavailable where command.host == "localhost" && address.isIPv6: continue
        case .addressInUse:
          if HealthProbe(port: command.port).isHealthy() {
            return .ok(
              .port, "a console answers on port \(command.port)", advice: "To start a second one, choose another --port.")
          }
          return .problem(
            .port, "port \(command.port) is used by another program", advice: "Choose another with --port; 0 picks a free one.")
        default:
          return .problem(
            .port, "\(address) is not an address of this machine, or not allowed",
            advice: "Ports below 1024 are root's. Choose another with --port, and an address with --host.")
        }
      }
    }
    return .ok(.port, "port \(command.port) is free on \(command.host)")
  }

  private func database() async -> DoctorFinding {
    do {
      let storage = try command.database.required()
      let pending = try await SharedDatabase.migrations.pending(storage.inSchema(SharedDatabase.schema))
      await storage.close()
      guard !pending.isEmpty else { return .ok(.database, "its schema is that of this version") }
      return .ok(
        .database, "it can be reached; \(pending.count) steps of its schema are missing",
        advice: "The first console takes them, or: understudy database migrate")
    } catch {
      let failure = error as? StartFailure ?? .database(error)
      return .problem(
        .database, failure.message,
        advice: "Check the address, the password's file and the server; install libpq5 if libpq is missing.")
    }
  }

  private func backend() async -> [DoctorFinding] {
    let remote: RemoteBackend
    do throws(StartFailure) {
      guard let found = try command.connection.remote(pinFile: command.pinFile, variables: variables) else {
        return [.ok(.backend, "the built-in one, in the console's process, with its own certificate and this machine's clock")]
      }
      remote = found
    } catch {
      return [.problem(.backend, error.message, advice: "Correct the flag; --backend is https://host[:port].")]
    }
    return await BackendVisit(origin: remote.origin.text).findings { () throws(StartFailure) in try remote.configuration() }
  }
}
