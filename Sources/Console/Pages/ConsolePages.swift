package import Logging
package import Observability
package import Server

/// The console's pages, with shared parts and words inserted when they are read.
package enum ConsolePages {
  /// Reads the folder of the pages.
  package static func files(folder: String, logger: Logger) throws(StaticFiles.Failure) -> StaticFiles {
    var configuration = StaticFiles.Configuration()
    configuration.composers = [ViewerComposer(), PageIncludes(), PageWords()]
    return try StaticFiles(root: folder, configuration: configuration, logger: logger)
  }

  /// Where the folder has the page that shows an export.
  package static let viewerPath = ViewerComposer.path

  /// The page that shows an export; nil if the folder has none that can be made.
  package static func viewer(of pages: StaticFiles) -> ViewerPage? {
    pages.content(of: ViewerComposer.path).flatMap { ViewerPage($0) }
  }
}
