import BackendFile
import Client
import Console
import Foundation

/// The sources of the backend file and of the user's secrets.
struct BackendFileSource: Sendable {
  /// The beginning of the names of the variables with secrets.
  private static let secretPrefix = "UNDERSTUDY_SECRET_"

  let path: String
  /// The folder of `--secrets`; nil without one.
  let secretsFolder: String?
  /// The hosts of `--backend-file-host`.
  let hosts: [AllowedHost]
  /// Whether the file is read again when it changes.
  let isWatched: Bool
  let variables: [String: String]

  /// The file, with its hosts checked and its secrets read.
  ///
  /// `backend` is that of `--backend`; without it, the file's own address counts if `--backend-file-host` names its host. Throws
  /// `StartFailure`: 66 for a file that cannot be read, 78 for an invalid file.
  func read(backend: Origin?) throws(StartFailure) -> (content: ActiveBackendFile.Content, origin: Origin) {
    let definition: BackendDefinition
    do { definition = try BackendFileCommand.read(path) } catch let failure as StartFailure { throw failure } catch {
      throw Self.failure(error)
    }
    let origin = try self.origin(of: definition, backend: backend)
    guard let (address, _) = WebOrigin.read(origin.text) else {
      throw .configuration("--backend: a backend file needs https and a host name")
    }
    do {
      let bound = try definition.bound(to: address, others: hosts)
      var secrets: [String: String] = [:]
      for name in bound.secrets { secrets[name] = try secret(name) }
      return (ActiveBackendFile.Content(definition: bound, secrets: secrets), origin)
    } catch let failure as StartFailure {
      throw failure
    } catch {
      throw Self.failure(error)
    }
  }

  private func origin(of definition: BackendDefinition, backend: Origin?) throws(StartFailure) -> Origin {
    if let backend { return backend }
    guard let url = definition.url else {
      throw .configuration("--backend-file requires --backend, or a url in the file and its host in --backend-file-host")
    }
    guard hosts.contains(where: { $0.allows(url.origin) }), let origin = Origin(url.origin.text) else {
      throw Self.failure(
        BackendFileError(
          file: definition.file, place: url.place,
          message:
            "the host is not allowed: name it with --backend \(url.origin.text) or --backend-file-host \(url.origin.authority)"))
    }
    return origin
  }

  /// A secret by its variable, else by its file.
  private func secret(_ name: String) throws(StartFailure) -> String {
    let variable = Self.secretPrefix + name
    if let value = variables[variable], !value.isEmpty { return value }
    guard let secretsFolder else {
      throw .configuration("\(path): ${\(name)} has no value: set \(variable), or write it to the file \(name) of --secrets DIR")
    }
    // A name is letters, digits and underscores, so it stays in its folder.
    guard let value = try SecretFile.read("\(secretsFolder)/\(name)", flag: "--secrets") else {
      throw .inputMissing("--secrets: \(name) is empty")
    }
    return value
  }

  private static func failure(_ error: any Error) -> StartFailure {
    .configuration((error as? BackendFileError)?.text ?? "--backend-file: it cannot be used")
  }
}
