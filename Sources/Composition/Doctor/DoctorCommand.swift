import ArgumentParser
import Foundation

/// `understudy doctor`: reports the problems that a console with the same flags would have; exits with 0 if there are none, else
/// 1.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Report what keeps a console with the same flags from starting, and what to do about it.",
    discussion: """
      Looks at the version, pages, data folder, key, ports, database, backend with its certificate, and clock. Changes nothing. Exits \
      with 0 if nothing is wrong, and otherwise with 1.
      """)

  @Option(help: "Address to listen on: localhost, or an IP address.", read: .host) var host = "localhost"
  @Option(help: "Port to listen on.", read: .port) var port = ServeCommand.usualPort
  @Option(help: "Folder for devices, tokens and the built-in backend. (default: $XDG_STATE_HOME/understudy)", read: .path)
  var data: String?
  @Option(help: "Folder of the web pages. (default: Public beside the program, or where a package installs it)") var `public`:
    String?
  @OptionGroup var connection: RemoteOptions
  @Option(help: "File of pins, one per line.") var pinFile: String?
  @Option(
    help:
      "File with the 32-byte key that encrypts tokens. (default: systemd's credential vault-key, else vault.key in the data folder)"
  )
  var vaultKeyFile: String?
  @OptionGroup var database: DatabaseOptions
  @Option(help: "Format of the report: \(ReportFormat.names).", read: .name) var format = ReportFormat.text

  func run() async throws {
    let report = DoctorReport(await Diagnosis(self).findings())
    try format.write(report, text: report.text)
    guard report.healthy else { throw ExitCode(1) }
  }
}
