import Console
import Foundation
import Support
import Testing

@testable import Composition

@Suite struct AddressFileTests {
  private static func origin(_ text: String) throws -> Origin { try #require(Origin(text)) }

  @Test func whatIsWrittenIsReadBack() throws {
    let folder = try TemporaryFolder()
    let file = AddressFile(folder: folder.path)
    #expect(file.read() == nil)
    file.write(.init(origin: try Self.origin("http://localhost:8081"), isReady: true))
    #expect(file.read() == .init(origin: try Self.origin("http://localhost:8081"), isReady: true))
    file.endReady()
    #expect(file.read() == .init(origin: try Self.origin("http://localhost:8081"), isReady: false))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["address"])
  }

  @Test(arguments: ["", "\n", "localhost:8080", "http://localhost:8080 stopped", "http://local host", "http://a\nready ready"])
  func anotherTextIsNoAddress(text: String) { #expect(AddressFile.Content(text) == nil) }

  @Test func whoeverLocksTheFolderIsNotTheConsoleOfBefore() throws {
    let folder = try TemporaryFolder()
    AddressFile(folder: folder.path).write(.init(origin: try Self.origin("http://localhost:8080"), isReady: true))
    let locked = try ConsoleData.lock(folder.path)
    #expect(AddressFile(folder: folder.path).read()?.isReady == false)
    withExtendedLifetime(locked) {}
  }
}
