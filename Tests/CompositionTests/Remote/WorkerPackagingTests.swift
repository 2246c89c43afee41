import ArgumentParser
import Foundation
import Testing

@testable import Composition

struct WorkerPackagingTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Packaging")

  /// The number behind a word in a file of the folder.
  private func number(_ word: String, in file: String) throws -> Int {
    let text = try String(contentsOf: Self.folder.appendingPathComponent(file), encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.trimmingCharacters(in: .whitespaces).hasPrefix(word) })
    return try #require(Int(String(line.filter(\.isNumber))))
  }

  /// A worker that is asked to end finishes its flow, so that killing it sooner would cost the flow: each check may take just less than
  /// its timeout, and up to four messages are waited for.
  @Test func aWorkerIsGivenTheTimeOfItsFlow() throws {
    let settings = try CheckSettings(try CheckOptions.parse([]), environment: EnvironmentFlags([:]), variables: [:])
    let longest = settings.timeout * CheckCase.all.count + .seconds(4 * CheckContext.longestMessageWait)
    for (word, file) in [
      ("TimeoutStopSec=", "understudy-worker@.service"), ("terminationGracePeriodSeconds:", "kubernetes-worker.yaml"),
    ] {
      #expect(.seconds(try number(word, in: file)) > longest, "\(file)")
    }
  }

  /// Starting again helps against nothing that is wrong in the settings.
  @Test func aWorkerWithWrongSettingsIsNotStartedAgain() throws {
    let text = try String(contentsOf: Self.folder.appendingPathComponent("understudy-worker@.service"), encoding: .utf8)
    let lines = Set(text.split(separator: "\n").map(String.init))
    #expect(lines.contains("RestartPreventExitStatus=64 78"))
    // Names of hosts are resolved with it; memory with secrets goes nowhere.
    #expect(lines.contains("RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK") && lines.contains("LimitCORE=0"))
  }
}
