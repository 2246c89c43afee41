import JSON

/// Rewrites the body of a successful response into a dialect.
struct SuccessSpelling {
  let dialect: BackendDialect

  /// The members with dates, in every response.
  private static let dates: Set<String> = [
    "created_at", "updated_at", "expires_at", "refresh_expires_at", "deletion_scheduled_for", "scheduled_for", "server_time",
  ]
  /// The numbers that `camel` sends as text.
  private static let textualNumbers: Set<String> = ["expires_in", "refresh_expires_in", "position", "code_length"]
  /// The fields that `camel` sends as `null` if they are absent, each list with a field that identifies its object.
  private static let optionals: [(mark: String, members: [String])] = [
    ("account_id", ["email", "phone", "display_name", "active_profile_id", "deletion_scheduled_for"]),
    ("language_code", ["display_name"]),
    ("access_token", ["profile"]),
  ]
  /// The fields that `problem` leaves out, each list with a field that identifies its object.
  private static let omissions: [(mark: String, members: [String])] = [
    ("access_token", ["expires_at", "refresh_expires_at"]),
    ("account_id", ["roles", "display_name", "created_at"]),
    ("supported_languages", ["network_log"]),
    ("login_code", ["analytics_opt_out"]),
    ("cooldown_seconds", ["code_length"]),
  ]

  /// Returns the body of a response in the dialect.
  func body(_ tree: JSONTree) -> JSONTree {
    switch dialect {
    case .strict: return tree
    case .seed: return value(tree["access_token"] == nil ? tree : seedTokens(tree))
    case .problem: return value(tree)
    case .camel:
      var body = value(tree)
      body["apiVersion"] = .number(2)
      return body
    }
  }

  /// Returns a value in the dialect, with everything inside it.
  func value(_ tree: JSONTree) -> JSONTree {
    switch tree {
    case .array(let elements): return .array(elements.map(value))
    case .string, .literal: return tree
    case .object:
      var tree = tree
      if dialect == .camel { for member in listed(Self.optionals, in: tree) where tree[member] == nil { tree[member] = .null } }
      if dialect == .problem { for member in listed(Self.omissions, in: tree) { tree[member] = nil } }
      tree.members = tree.members.map { member in
        JSONTree.Member(dialect == .camel ? SnakeCase.property(member.key) : member.key, value(of: member))
      }
      return tree
    }
  }

  private func listed(_ lists: [(mark: String, members: [String])], in tree: JSONTree) -> [String] {
    lists.filter { tree[$0.mark] != nil }.flatMap(\.members)
  }

  private func value(of member: JSONTree.Member) -> JSONTree {
    if Self.dates.contains(member.key), let date = member.value.string.flatMap({ Timestamp(parsing: $0) }) {
      return self.date(date)
    }
    if dialect == .camel, Self.textualNumbers.contains(member.key), case .literal(let number) = member.value {
      return .string(number)
    }
    return value(member.value)
  }

  private func date(_ date: Timestamp) -> JSONTree {
    switch dialect {
    case .strict, .seed: .string(date.text.dropLast() + "+0000")
    case .camel: .number(date.milliseconds)
    case .problem: .number(date.roundedDown(toMultipleOf: 1000).milliseconds / 1000)
    }
  }

  private func seedTokens(_ tree: JSONTree) -> JSONTree {
    let kept = ["access_token", "refresh_token", "expires_at"]
    return .object(
      kept.compactMap { key in
        guard let value = tree[key] else { return nil }
        return JSONTree.Member(SnakeCase.property(key), self.value(of: JSONTree.Member(key, value)))
      })
  }
}

extension Timestamp {
  /// The latest instant that is a multiple of `step` milliseconds and not later than this one.
  func roundedDown(toMultipleOf step: Int64) -> Timestamp {
    let rest = milliseconds % step
    return Timestamp(milliseconds: milliseconds - (rest < 0 ? rest + step : rest))
  }
}
