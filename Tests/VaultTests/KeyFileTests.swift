import Glibc
import Testing
import Text

@testable import Vault

@Suite(.timeLimit(.minutes(1)))
struct KeyFileTests {
  /// A folder that is removed after the test.
  private final class Folder {
    let path: String

    init() throws {
      var template = Array("/tmp/keyfile-XXXXXX".utf8CString)
      path = try #require(mkdtemp(&template).map { String(cString: $0) })
    }

    deinit {
      for name in names { unlink("\(path)/\(name)") }
      rmdir(path)
    }

    var names: [String] {
      guard let folder = opendir(path) else { return [] }
      defer { closedir(folder) }
      var names: [String] = []
      while let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { names.append(name) }
      }
      return names
    }

    func write(_ bytes: [UInt8], mode: mode_t = 0o600) -> String {
      let file = "\(path)/key"
      let descriptor = Glibc.open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      _ = Glibc.write(descriptor, bytes, bytes.count)
      fchmod(descriptor, mode)
      close(descriptor)
      return file
    }
  }

  @Test func theFirstCallMakesAKeyThatLaterOnesRead() throws {
    let folder = try Folder()
    let file = "\(folder.path)/key"
    let made = try KeyFile.loadOrCreate(path: file)
    #expect(try KeyFile.loadOrCreate(path: file).bytes == made.bytes)
    var status = stat()
    #expect(stat(file, &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o600)
    #expect(folder.names == ["key"])
  }

  @Test func ofManyCallersAtOnceAllGetTheOneKey() async throws {
    let folder = try Folder()
    let file = "\(folder.path)/key"
    let keys = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for _ in 0..<16 { group.addTask { try KeyFile.loadOrCreate(path: file).bytes } }
      return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
    }
    #expect(keys.count == 1)
    #expect(folder.names == ["key"])
  }

  @Test(arguments: [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o644, 0o660, 0o777] as [mode_t])
  func aFileThatOthersMayUseIsRefused(mode: mode_t) throws {
    let folder = try Folder()
    let file = folder.write([UInt8](repeating: 1, count: 32), mode: mode)
    #expect(throws: VaultError.exposedKeyFile(mode: mode)) { try KeyFile.loadOrCreate(path: file) }
  }

  @Test func rawBytesAndDigitsAreRead() throws {
    let folder = try Folder()
    let bytes = SecureRandom.bytes(32)
    let digits = Array(Hex.encode(bytes).utf8)
    for contents in [bytes, digits, digits + [10], digits + [13, 10], Array(Hex.encode(bytes).uppercased().utf8)] {
      #expect(try KeyFile.loadOrCreate(path: folder.write(contents, mode: 0o400)).bytes == bytes)
      unlink("\(folder.path)/key")
    }
  }

  /// A text key that was cut is no key of raw bytes.
  @Test func halfOfAKeyInDigitsIsRefused() throws {
    let folder = try Folder()
    let file = folder.write(Array(Hex.encode(SecureRandom.bytes(32)).utf8.prefix(32)))
    #expect(throws: VaultError.malformedKeyFile) { try KeyFile.loadOrCreate(path: file) }
  }

  @Test(arguments: [0, 1, 31, 33, 63, 65, 66, 67, 100_000])
  func anotherNumberOfBytesIsRefusedAndKept(count: Int) throws {
    let folder = try Folder()
    let file = folder.write([UInt8](repeating: UInt8(ascii: "a"), count: count))
    #expect(throws: VaultError.malformedKeyFile) { try KeyFile.loadOrCreate(path: file) }
    var status = stat()
    #expect(stat(file, &status) == 0)
    #expect(status.st_size == count)
  }

  @Test func digitsWithAForeignOneAreRefused() throws {
    let folder = try Folder()
    let file = folder.write([UInt8](repeating: UInt8(ascii: "g"), count: 64))
    #expect(throws: VaultError.malformedKeyFile) { try KeyFile.loadOrCreate(path: file) }
  }

  @Test func linksPipesAndFoldersAreRefused() throws {
    let folder = try Folder()
    let file = folder.write([UInt8](repeating: 1, count: 32))
    symlink(file, "\(folder.path)/link")
    symlink("\(folder.path)/nothing", "\(folder.path)/dangling")
    mkfifo("\(folder.path)/pipe", 0o600)
    #expect(throws: VaultError.untrustedKeyFile) { try KeyFile.loadOrCreate(path: "\(folder.path)/link") }
    #expect(throws: VaultError.untrustedKeyFile) { try KeyFile.loadOrCreate(path: "\(folder.path)/dangling") }
    #expect(throws: VaultError.untrustedKeyFile) { try KeyFile.loadOrCreate(path: "\(folder.path)/pipe") }
    #expect(throws: VaultError.untrustedKeyFile) { try KeyFile.loadOrCreate(path: folder.path) }
  }

  @Test func aMissingFolderIsATypedError() {
    #expect(throws: VaultError.system(call: "open", errno: ENOENT)) { try KeyFile.loadOrCreate(path: "/nonexistent/folder/key") }
  }

  @Test(arguments: [(0o400, true), (0o440, true), (0o600, true), (0o444, false), (0o460, false), (0o404, false)])
  func aCredentialMayBeReadByItsGroupAndByNobodyElse(mode: mode_t, isTaken: Bool) throws {
    let folder = try Folder()
    let file = folder.write([UInt8](repeating: 7, count: 32), mode: mode)
    if isTaken {
      #expect(try KeyFile.load(path: file, isCredential: true)?.bytes == [UInt8](repeating: 7, count: 32))
    } else {
      #expect(throws: VaultError.exposedKeyFile(mode: UInt32(mode))) { try KeyFile.load(path: file, isCredential: true) }
    }
    if mode & 0o077 != 0 {
      #expect(throws: VaultError.exposedKeyFile(mode: UInt32(mode))) { try KeyFile.load(path: file) }
    }
  }
}
