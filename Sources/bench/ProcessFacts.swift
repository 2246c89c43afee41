import CLinux
import FoundationEssentials

/// What the process holds at one instant, from `/proc/self`.
struct ProcessFacts {
  /// Resident memory in KiB.
  let residentKiB: Int
  /// Open descriptors.
  let descriptors: Int
  /// Threads.
  let threads: Int

  /// Resident memory in KiB as it is, unused memory not given back.
  static func currentKiB() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return line.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0
  }

  /// Reads the facts now, after unused memory was given back.
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
