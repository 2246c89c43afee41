import Domain

/// The recordings that a caller can read and change.
///
/// On a console without people, every caller with access has all of them. Otherwise, a recording belongs to a workspace. It
/// belongs to all callers if it is from before the console had people, or from a caller without a name.
struct RecordingScope: Sendable {
  /// The caller's permissions in each workspace; nil on a console without people.
  private let access: [String: WorkspaceAccess]?
  /// The workspace of the caller's new recordings, unless another is named.
  private let home: String?

  /// Allows everything, as without people, unless access is given.
  init(access: [String: WorkspaceAccess]? = nil, home: String? = nil) { (self.access, self.home) = (access, home) }

  /// Whether the caller has this permission for the recordings of a workspace.
  func allows(_ wanted: WorkspaceAccess, in workspace: String?) -> Bool {
    guard let access, let workspace else { return true }
    return access[workspace].map { $0 >= wanted } ?? false
  }

  /// The workspace for a new recording; throws `Problem`: `not_found` for a workspace that the caller cannot read, and
  /// `role_refused` for one that the caller can only read.
  func target(_ named: String?) throws(Problem) -> String? {
    guard let workspace = named ?? home else { return nil }
    // A console without people has no workspaces.
    guard access != nil, allows(.read, in: workspace) else { throw .notFound }
    guard allows(.write, in: workspace) else { throw .roleRefused }
    return workspace
  }

  /// The recording, if the caller can read it; throws `Problem` like ``target(_:)``.
  func checked(_ saved: SavedRecording?, for wanted: WorkspaceAccess = .read) throws(Problem) -> SavedRecording {
    guard let saved, allows(.read, in: saved.about.workspace) else { throw .notFound }
    guard allows(wanted, in: saved.about.workspace) else { throw .roleRefused }
    return saved
  }
}
