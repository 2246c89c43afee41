package import Logging
package import Server

/// The console's pages, whose shared parts and words are put in when they are read.
package enum ConsolePages {
  /// Reads the folder of the pages.
  package static func files(folder: String, logger: Logger) throws(StaticFiles.Failure) -> StaticFiles {
    var configuration = StaticFiles.Configuration()
    configuration.composers = [PageIncludes(), PageWords()]
    return try StaticFiles(root: folder, configuration: configuration, logger: logger)
  }
}
