import ArgumentParser
import Console
import Foundation
import JSON
import Observability
import Storage
import Text

/// `understudy import`: imports a file as a recording; exits with 0, 65 if the file is broken, and 66 if it is unreadable.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Make a recording of an exported bundle or a HAR file, and print its id.",
    discussion: """
      It works while a console is running on the data folder, which lists the recording at once, and while none is. Everybody who \
      may use that console sees the recording. Secrets are masked before anything is stored.
      """)

  @Argument(help: "The exported zip, its rows.json, or a HAR file of any program.") var file: String
  @Option(help: "Folder of the console's data. (default: $XDG_STATE_HOME/understudy)", read: .path) var data: String?
  @Option(help: "Title of the recording. (default: the file's name)") var title: String?
  @Option(help: "File with the 32-byte key of the data folder. (default: vault.key in it)") var vaultKeyFile: String?
  @OptionGroup var masks: MaskOptions

  func run() async throws {
    let (id, skipped) = try await imported()
    if !skipped.isEmpty {
      let numbers = skipped.map(String.init).joined(separator: ", ")
      ProgramOutput.complain("skipped entries without a readable request: \(numbers)")
    }
    try ProgramOutput.write(id + "\n")
  }

  private func imported() async throws -> (id: String, skippedEntries: [Int]) {
    let name = URL(fileURLWithPath: file).lastPathComponent
    let title = title?.trimmingWhitespace ?? SavedLogStore.importTitle(fileName: name)
    guard SavedLogStore.isTitle(title) else { throw StartFailure.usage("--title: a title has 1 to 200 bytes") }
    let bytes = try RecordingFile.open(file, name: file, limit: SavedLogStore.importLimit)
    let folder = data ?? ServeSettings.stateFolder()
    let target = try await ImportTarget(
      folder: folder, vaultKey: VaultKeySource(path: vaultKeyFile, dataFolder: folder), redactionRules: try masks.rules())
    do {
      return try await target.store.importRecording(bytes, title: title, at: Timestamp(Date()))
    } catch {
      throw Self.failure(error, file: file, folder: folder)
    }
  }

  private static func failure(_ error: any Error, file: String, folder: String) -> StartFailure {
    switch error {
    case let error as ImportError: return StartFailure(exitCode: EX_DATAERR, message: "\(file): \(error.text)")
    case let error as ArchiveError: return .inputMissing("\(file) \(error.text)")
    case let problem as Problem: return .unavailable("--data: \(folder): \(problem.title)")
    case StorageError.constraint:
      return .unavailable("--data: \(folder): the console was started meanwhile; try again")
    default: return .unavailable("--data: \(folder) cannot be written")
    }
  }
}
