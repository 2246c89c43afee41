import Foundation

/// Where a command was typed.
package struct Surroundings: Sendable {
  /// The environment.
  let variables: [String: String]
  /// This process.
  private let process: Int32

  init(variables: [String: String] = ProcessInfo.processInfo.environment, process: Int32 = getpid()) {
    self.variables = variables
    self.process = process
  }

  /// Whether a person types at a terminal and reads the output there.
  package static var isTerminal: Bool { [0, 1, 2].allSatisfy { isatty($0) == 1 } }

  /// The variables that build servers set; most of them set `CI`.
  private static let automation = ["CI", "JENKINS_URL", "TEAMCITY_VERSION", "TF_BUILD", "CODEBUILD_BUILD_ID"]

  /// Whether the person is at another machine.
  private var isRemote: Bool { ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"].contains(where: isSet) }
  private var isAutomated: Bool { Self.automation.contains(where: isSet) }
  /// Whether systemd runs this process itself. `INVOCATION_ID` is also set in a terminal that systemd started.
  private var isService: Bool { variables["SYSTEMD_EXEC_PID"] == String(process) }
  /// Whether the display belongs to another user than the process.
  private var isOfAnotherUser: Bool { isSet("SUDO_USER") }
  private var hasDisplay: Bool { isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") }

  /// Whether the person who typed the command can see a browser that is opened here.
  var hasBrowser: Bool { hasDisplay && !isRemote && !isAutomated && !isService && !isOfAnotherUser }

  /// Whether a variable is set; `CI=false` counts as unset.
  private func isSet(_ name: String) -> Bool { !["", "0", "false"].contains(variables[name]?.lowercased() ?? "") }
}
