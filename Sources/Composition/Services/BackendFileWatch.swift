import Client
import Console
import Foundation
import Logging

/// Reads the backend file again when it has changed (`--watch`).
struct BackendFileWatch: Sendable {
  let source: BackendFileSource
  let origin: Origin
  let active: ActiveBackendFile
  let registry: DeviceRegistry
  let logger: Logger

  /// How often the file is checked: the kernel's file notifications do not cross the mounts of containers.
  private static let pause = Duration.milliseconds(500)

  /// The attributes that change with a file.
  private struct Stamp: Equatable {
    let seconds: Int
    let nanoseconds: Int
    let size: Int64
    let inode: UInt64

    init?(path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      seconds = status.st_mtim.tv_sec
      nanoseconds = status.st_mtim.tv_nsec
      size = Int64(status.st_size)
      inode = UInt64(status.st_ino)
    }
  }

  /// Runs until the task is canceled.
  func run() async {
    var seen = Stamp(path: source.path)
    while (try? await Task.sleep(for: Self.pause)) != nil {
      let stamp = Stamp(path: source.path)
      guard stamp != seen else { continue }
      seen = stamp
      await reload()
    }
  }

  /// Loads the file as it is now, or keeps the earlier state and shows the pages the reason.
  private func reload() async {
    var isTaken = false
    do throws(StartFailure) {
      let content = try source.read(backend: origin).content
      active.replace(with: content)
      isTaken = true
      logger.notice("the backend file was read again")
    } catch {
      active.keep(because: error.message)
      logger.error("the earlier backend file is kept: \(error.message)")
    }
    let devices = await registry.awakeDevices()
    for device in devices { await device.publishOffer() }
    guard isTaken else { return }
    // An unreachable backend must not delay the other devices.
    await withTaskGroup { group in for device in devices { group.addTask { await device.refreshConfig() } } }
  }
}
