import Domain

/// Which recordings a caller sees, and which may be changed.
///
/// On a console without persons, everybody with access has all of them. Otherwise, one belongs to a workspace, or to everybody if it was made
/// before there were persons, or by a caller whom no proxy names.
struct RecordingScope: Sendable {
  /// What the caller may do in each workspace; nil without persons.
  private let access: [String: WorkspaceAccess]?
  /// The workspace of what the caller makes, unless another is named.
  private let home: String?

  /// Everything, as without persons, unless access is given.
  init(access: [String: WorkspaceAccess]? = nil, home: String? = nil) { (self.access, self.home) = (access, home) }

  /// Whether the caller may do that with the recordings of a workspace.
  func allows(_ wanted: WorkspaceAccess, in workspace: String?) -> Bool {
    guard let access, let workspace else { return true }
    return access[workspace].map { $0 >= wanted } ?? false
  }

  /// The workspace for a new recording; throws `Problem`: `not_found` for one that the caller does not see, and `role_refused` for one to
  /// read only.
  func target(_ named: String?) throws(Problem) -> String? {
    guard let workspace = named ?? home else { return nil }
    // Without persons there are no workspaces.
    guard access != nil, allows(.read, in: workspace) else { throw .notFound }
    guard allows(.write, in: workspace) else { throw .roleRefused }
    return workspace
  }

  /// The recording, if the caller sees it; throws `Problem` like ``target(_:)``.
  func checked(_ saved: SavedRecording?, for wanted: WorkspaceAccess = .read) throws(Problem) -> SavedRecording {
    guard let saved, allows(.read, in: saved.about.workspace) else { throw .notFound }
    guard allows(wanted, in: saved.about.workspace) else { throw .roleRefused }
    return saved
  }
}
