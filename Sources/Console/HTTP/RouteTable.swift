/// The console's routes: the sum of those of its features.
enum RouteTable {
  static func routes(_ dependencies: Application.Dependencies) -> [ConsoleRoute] {
    let routes =
      SystemRoutes.routes(dependencies) + AccessRoutes.routes(dependencies) + DeviceRoutes.routes(dependencies)
      + PersonRoutes.routes(dependencies) + AccountLeaseRoutes.routes(dependencies)
      + WorkspaceRoutes.routes(dependencies)
      + LoginRoutes.routes(dependencies) + SessionRoutes.routes(dependencies) + AccountRoutes.routes + ProfileRoutes.routes
      + AnalyticsRoutes.routes + CueRoutes.routes + TimelineRoutes.routes + NetworkRoutes.routes + DriftRoutes.routes
      + ExportRoutes.routes + RecordingRoutes.routes + ComparisonRoutes.routes
      + ReplayRoutes.routes + FaultRoutes.routes + InboxRoutes.routes(dependencies)
      + EmbeddedBackendRoutes.routes(dependencies)
    return routes + [APIDescription.route(describing: routes, version: dependencies.version)]
  }
}
