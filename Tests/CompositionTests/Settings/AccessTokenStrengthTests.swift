import Foundation
import Support
import Testing
import Text
import Vault

@testable import Composition

/// Which access tokens a console starts with.
struct AccessTokenStrengthTests {
  @Test func whatWasDrawnWithABitOfCarePasses() throws {
    for _ in 0..<200 {
      let bytes = SecureRandom.bytes(16)
      let short = Base64URL.encode(bytes)
      // One in 50,000 has letters of one case alone, and may have come from an alphabet that is too small for its length.
      if short != short.lowercased(), short != short.uppercased() { try AccessTokenStrength.check(short) }
      for token in [Base64.encode(SecureRandom.bytes(24)), Hex.encode(bytes), Hex.encode(bytes).uppercased()] {
        try AccessTokenStrength.check(token)
      }
      try AccessTokenStrength.check(SecureRandom.uuid() + SecureRandom.uuid())
      try AccessTokenStrength.check(SecureRandom.digits(39))
    }
    try AccessTokenStrength.check(nil)
  }

  @Test(arguments: [
    "x", "password", "correct horse battery staple", String(repeating: "a", count: 200), String(repeating: "ab", count: 100),
    String(repeating: "0123456789abcdef", count: 8), "abcdefghijklmnopqrstuvwxyz0123456789", "0f1e2d3c4b5a69788796a5b4c3d2e1",
    "123456789012345678901234567890", "----------------------------------------", "9Zk3xQm7Tn2wLp8Rv5Js",
  ])
  func whatCanBeGuessedDoesNot(token: String) {
    #expect(throws: StartFailure.self) { try AccessTokenStrength.check(token) }
  }

  @Test func theFailureSaysWhatToDoAndNotWhatItWas() throws {
    let failure = try #require(throws: StartFailure.self) { try AccessTokenStrength.check("swordfish") }
    #expect(
      failure.exitCode == 78 && failure.message.contains("openssl rand -base64 24") && !failure.message.contains("swordfish"))
  }

  @Test func aSecretsFileIsForItsOwnerAlone() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(" secret \n", to: "secret")
    for mode in [0o600, 0o400, 0o700] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      #expect(try SecretFile.read(path, flag: "--f") == "secret")
    }
    for mode in [0o640, 0o604, 0o620, 0o602, 0o610, 0o644, 0o666] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      let failure = try #require(throws: StartFailure.self) { try SecretFile.read(path, flag: "--f") }
      #expect(failure.exitCode == 78 && failure.message.contains("chmod 600"), "\(String(mode, radix: 8))")
    }
    for path in [folder.path, folder.file("missing"), try folder.write("\n", to: "empty")] {
      #expect(try #require(throws: StartFailure.self) { try SecretFile.read(path, flag: "--f") }.exitCode == 66)
    }
    #expect(try SecretFile.read(nil, flag: "--f") == nil)
  }
}
