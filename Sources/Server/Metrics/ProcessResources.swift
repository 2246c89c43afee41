import Glibc

/// The open file descriptors of this process, including sockets (proc(5)).
enum OpenFiles {
  /// The limit (`RLIMIT_NOFILE`); 0 if the system does not report it.
  static var limit: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
    return Int(clamping: limit.rlim_cur)
  }

  /// The number of open descriptors, without the one used for counting; `limit` if none is left to count with.
  static var count: Int {
    guard let folder = opendir("/proc/self/fd") else { return errno == EMFILE ? limit : 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    // The directory itself, "." and "..".
    return max(0, count - 3)
  }
}

/// The resident memory of this process that is not shared; pages of files, which the system can reclaim, do not count (proc(5)).
enum ProcessMemory {
  /// In bytes; 0 if the system does not report it.
  static var resident: Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var size = 0
    var resident = 0
    var shared = 0
    let fields = withUnsafeMutablePointer(to: &size) { size in
      withUnsafeMutablePointer(to: &resident) { resident in
        withUnsafeMutablePointer(to: &shared) { shared in
          withVaList([size, resident, shared]) { vfscanf(file, "%ld %ld %ld", $0) }
        }
      }
    }
    return fields == 3 ? (resident - shared) * sysconf(Int32(_SC_PAGESIZE)) : 0
  }
}
