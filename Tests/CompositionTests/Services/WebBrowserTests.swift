import Testing

@testable import Composition

@Suite struct WebBrowserTests {
  private static func browser(_ variables: [String: String], installed: Set<String> = ["/usr/bin/xdg-open"]) -> WebBrowser? {
    let surroundings = Surroundings(variables: ["PATH": "/usr/bin", "DISPLAY": ":0"].merging(variables) { $1 }, process: 7)
    return WebBrowser(surroundings) { installed.contains($0) }
  }

  @Test(arguments: [
    [:], ["DISPLAY": "", "WAYLAND_DISPLAY": "wayland-0"], ["CI": "false"], ["SYSTEMD_EXEC_PID": "8"], ["INVOCATION_ID": "0"],
  ])
  func aPersonAtTheDisplayHasABrowser(variables: [String: String]) {
    #expect(Self.browser(variables)?.command == ["/usr/bin/xdg-open"])
  }

  @Test(arguments: [
    ["SSH_CONNECTION": "10.0.0.1 50000 10.0.0.2 22"], ["SSH_TTY": "/dev/pts/0"], ["CI": "true"], ["CI": "1"],
    ["JENKINS_URL": "https://build.example"], ["SYSTEMD_EXEC_PID": "7"], ["SUDO_USER": "dana"], ["DISPLAY": ""],
  ])
  func nobodyElseHas(variables: [String: String]) { #expect(Self.browser(variables) == nil) }

  @Test func theFirstProgramThatIsThereOpensIt() {
    let both: Set<String> = ["/opt/gio", "/usr/bin/x-www-browser"]
    #expect(Self.browser(["PATH": "/usr/bin:/opt"], installed: both)?.command == ["/opt/gio", "open"])
    #expect(Self.browser([:], installed: []) == nil)
  }

  @Test func noProgramOfTheWorkingFolderIsTaken() {
    #expect(Self.browser(["PATH": ".::bin"], installed: ["./xdg-open", "/xdg-open", "bin/xdg-open"]) == nil)
  }
}
