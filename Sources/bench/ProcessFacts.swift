import CLinux
import FoundationEssentials

/// The resources of the process at an instant, from `/proc/self`.
struct ProcessFacts {
  /// Resident memory in KiB.
  let residentKiB: Int
  /// The number of open file descriptors.
  let descriptors: Int
  /// The number of threads.
  let threads: Int

  /// Resident memory in KiB, without releasing unused memory first.
  static func currentKiB() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return line.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0
  }

  /// Releases unused memory and reads the facts.
  static func now() -> ProcessFacts {
    malloc_trim(0)
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    func number(_ key: String) -> Int {
      let line = status.split(separator: "\n").first { $0.hasPrefix(key) } ?? ""
      return line.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0
    }
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    return ProcessFacts(residentKiB: number("VmRSS:"), descriptors: descriptors, threads: number("Threads:"))
  }
}
