import ArgumentParser
import Redaction
import Vault

/// The flags that name additional values to mask.
struct MaskOptions: ParsableArguments {
  @Option(help: "Name of a field or header whose values are masked as well; can be repeated.", read: .maskedName)
  var mask: [MaskedName] = []
  @Option(help: "File of such names, one per line.") var maskFile: String?

  /// The most names of a file.
  private static let limit = 1000

  /// The rules of redaction with the names of flags and file; throws `StartFailure` (66, 78) for a file that is unusable, or has more than
  /// 1,000 names.
  func rules() throws(StartFailure) -> RedactionRules {
    guard let maskFile else { return RedactionRules(masking: mask) }
    let names = try FlagReader.maskedName.values(ofFile: maskFile, flag: "--mask-file")
    guard names.count <= Self.limit else {
      throw .configuration("--mask-file: \(maskFile) has more than \(Self.limit) names")
    }
    return RedactionRules(masking: mask + names)
  }

  /// A redactor with these rules and a new key; throws like ``rules()``.
  func redactor() throws(StartFailure) -> Redactor {
    Redactor(registry: SecretRegistry(tagKey: SecureRandom.bytes(32), rules: try rules()))
  }
}
