import Client
import FoundationEssentials
import JSON
import Testing

@Suite struct FaultPresetTests {
  @Test func presetsHaveTheirEnglishNamesOnThePages() throws {
    let project = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = project.appending(path: "Public/assets/locales/en.json")
    let words = try JSONDocument(parsing: Array(try Data(contentsOf: file))).root["faults"]
    for preset in FaultPreset.all { #expect(words?["fault.preset.\(preset.id)"]?.string == preset.name) }
  }
}
