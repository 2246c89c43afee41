/// Why a zip archive is not read, with the entry at fault.
package struct ArchiveError: Error, Equatable, Sendable {
  package enum Fault: Equatable, Sendable {
    /// There is no end record: the file was cut off, or is not an archive.
    case endsEarly
    /// The directory contradicts itself or the bytes.
    case damagedDirectory
    case severalVolumes, zip64, tooManyEntries
    case encrypted
    case compression(UInt16)
    /// A name that leads out of the folder, or that no file can have.
    case unsafeName
    case duplicateName
    /// The entry shares bytes with another one, or lies outside of the file.
    case overlap
    /// The entry's own header contradicts the directory.
    case header
    /// The data is damaged, or its size differs from the directory's.
    case size, damagedData, checksum
    /// The entry would grow too many times larger when unpacked.
    case ratio
    /// The entry would be larger than this number of bytes when unpacked.
    case tooLarge(Int)
    /// The file is no longer readable.
    case unreadable
  }

  package let fault: Fault
  /// The name of the entry at fault; nil if the archive as a whole is.
  package let entry: String?

  package init(_ fault: Fault, _ entry: String? = nil) {
    self.fault = fault
    self.entry = entry
  }

  /// The error, as a text that follows the file's name.
  package var text: String {
    guard let entry else { return "is a zip archive that \(whole)" }
    return "is a zip archive whose entry '\(Self.printable(entry))' \(part)"
  }

  private var whole: String {
    switch fault {
    case .endsEarly: "is damaged: it has no end, or was cut off"
    case .severalVolumes: "is split into several files"
    case .zip64: "needs ZIP64, which is not supported"
    case .tooManyEntries: "has too many entries"
    case .unreadable: "cannot be read to its end"
    default: "is damaged: its directory contradicts itself"
    }
  }

  private var part: String {
    switch fault {
    case .zip64: "needs ZIP64, which is not supported"
    case .encrypted: "is encrypted"
    case .compression(let method): "has the unsupported compression \(method)"
    case .unsafeName: "has a name that no file may have"
    case .duplicateName: "exists twice"
    case .overlap: "overlaps with another one, or lies outside of the file"
    case .header: "contradicts the directory"
    case .size: "has another size than the directory says"
    case .checksum: "fails its checksum"
    case .ratio: "unpacks to more than \(ZipArchive.ratioLimit) times its size"
    case .tooLarge(let limit): "unpacks to more than \(limit >> 20) MiB"
    default: "is damaged"
    }
  }

  /// A name without control characters, cut after 100.
  private static func printable(_ name: String) -> String {
    let scalars = name.unicodeScalars.prefix(100).map { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: Unicode.Scalar("?")
      default: scalar
      }
    }
    return String(String.UnicodeScalarView(scalars)) + (name.unicodeScalars.count > 100 ? "…" : "")
  }
}
