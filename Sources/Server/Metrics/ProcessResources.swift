import Glibc

/// The files that this process has open, sockets among them (proc(5)).
enum OpenFiles {
  /// How many there may be (`RLIMIT_NOFILE`); 0 where the system does not say.
  static var limit: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
    return Int(clamping: limit.rlim_cur)
  }

  /// How many there are, without the one that counting takes; `limit` where none is left to count with.
  static var count: Int {
    guard let folder = opendir("/proc/self/fd") else { return errno == EMFILE ? limit : 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    // The folder itself, "." and "..".
    return max(0, count - 3)
  }
}

/// The memory of this process that is its own and in use; pages of files, which the system may take back, are left out (proc(5)).
enum ProcessMemory {
  /// Bytes; 0 where the system does not say.
  static var resident: Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var (size, resident, shared) = (0, 0, 0)
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
