import CLinux

/// What others may learn of this process's memory, in which keys and tokens lie.
package enum ProcessMemory {
  /// Keeps it from core dumps, from other processes of this user and from debuggers; returns whether the system agreed.
  @discardableResult
  package static func forbidDumps() -> Bool { clinux_forbid_dumps() == 0 }
}
