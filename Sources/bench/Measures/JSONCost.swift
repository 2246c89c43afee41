import FoundationEssentials
import JSON
import Observability
import Redaction

/// Measures the JSON encoder, decoder and writer, compared with Foundation's `JSONEncoder` and `JSONDecoder` in the same rounds.
///
/// `JSONDecoder` accepts duplicate keys, so the strict scanner runs before it, as it would have to in the product.
enum JSONCost {
  private static let rounds = 15
  /// How many times as fast as Foundation own code must be to be worth keeping.
  private static let goal = 1.5

  /// Measures a page of network rows, the rows of an export, the state of a device and a list of cues.
  static func measure() throws -> [Figure] {
    let log = NetworkLog(capacity: 200, bodyBytes: 4 << 20, registry: SecretRegistry(tagKey: [1, 2, 3, 4])) { _ in }
    for number in 0..<200 { Exports.record(number, in: log) }
    guard let filter = NetworkFilter(queryPairs: [("limit", "100")]) else { return [] }
    let page = log.rows(filter: filter)
    let details = ExportSelection(of: log).rows
    let state = StateSample()
    let cues = CueSample.list
    return [
      try writing("a page of 100 network rows, written by hand", 5, page, keys: .asSpelled) { page.json },
      try writing("a page of 100 network rows, by Codable", 5, page, keys: .asSpelled),
      try writing("200 rows of an export, written by hand", 1, details, keys: .asSpelled) { details.flatMap(\.json) },
      try writing("the state of a device", 500, state, keys: .snakeCase),
      try writing("50 cues", 50, cues, keys: .asSpelled),
      try reading("the state of a device", 500, state, keys: .snakeCase),
      try reading("50 cues", 50, cues, keys: .asSpelled),
      try reading("50 cues, as the client reads answers", 50, cues, keys: .asSpelled, isTolerant: true),
    ]
  }

  private static func writing<Value: Encodable>(
    _ work: String, _ count: Int, _ value: Value, keys: JSONCoding.Keys, _ own: (() -> [UInt8])? = nil
  ) throws -> Figure {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = keys == .snakeCase ? .convertToSnakeCase : .useDefaultKeys
    return try figure("writing \(work)", count) {
      try own?().count ?? JSONCoding.encode(value, keys: keys).count
    } foundation: {
      // The server needs an array of bytes.
      Array(try encoder.encode(value)).count
    }
  }

  private static func reading<Value: Codable>(
    _ work: String, _ count: Int, _ value: Value, keys: JSONCoding.Keys, isTolerant: Bool = false
  ) throws -> Figure {
    let bytes = try JSONCoding.encode(value, keys: keys)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = keys == .snakeCase ? .convertFromSnakeCase : .useDefaultKeys
    return try figure("reading \(work)", count) {
      if isTolerant {
        _ = try JSONCoding.decodeTolerantly(Value.self, from: JSONDocument(parsing: bytes), notes: JSONReadNotes())
      } else {
        _ = try JSONCoding.decode(Value.self, from: bytes, keys: keys)
      }
      return bytes.count
    } foundation: {
      _ = try JSONDocument(parsing: bytes)
      _ = try decoder.decode(Value.self, from: Data(bytes))
      return bytes.count
    }
  }

  /// Runs both implementations in alternating rounds.
  private static func figure(
    _ work: String, _ count: Int, own: () throws -> Int, foundation: () throws -> Int
  ) throws -> Figure {
    var ours: [Double] = []
    var theirs: [Double] = []
    var bytes: Int = 0
    for _ in 0..<rounds {
      ours.append(try microseconds(count) { bytes = try own() })
      theirs.append(try microseconds(count) { _ = try foundation() })
    }
    let cost = median(ours)
    let other = median(theirs)
    let ratio = other / max(cost, .leastNonzeroMagnitude)
    return Figure(
      work: "\(work), \(bytes) bytes (Foundation \(Figure.number(other)) µs)", goal: "≥ \(goal) ×",
      measured: "\(Figure.number(cost)) µs, \(Figure.number(ratio, places: 2)) ×", isMet: ratio >= goal)
  }

  private static func microseconds(_ count: Int, _ body: () throws -> Void) rethrows -> Double {
    let started = ContinuousClock.now
    for _ in 0..<count { try body() }
    return Quantiles([ContinuousClock.now - started])(0) / Double(count)
  }
}

/// The response of `GET /api/state`; the type of the console is internal.
private struct StateSample: Codable {
  struct Session: Codable {
    var state = "authenticated"
    var since = Timestamp(milliseconds: 1_790_000_000_000)
    var reason: String? = "login"
    var tokensIssuedAt = Timestamp(milliseconds: 1_790_000_000_000)
    var accessExpiresAt = Timestamp(milliseconds: 1_790_000_900_000)
    var refreshExpiresAt = Timestamp(milliseconds: 1_792_592_000_000)
    var user = User()
  }
  struct User: Codable {
    var userId = "0f3c9a52-7a0e-4a60-9b7f-0b8f5f6f2a11"
    var accountId = "6be0a1f4-2f0f-4c0f-8a43-2a3b1d0f7c22"
    var email: String? = "person@example.com"
    var phone: String? = "+491701234567"
    var isDeveloper = false
  }
  struct Cooldown: Codable {
    var identifierTag = "3f1c09ab5d2e7c10"
    var retryAt = Timestamp(milliseconds: 1_790_000_060_000)
  }
  struct Backend: Codable {
    var url = "https://127.0.0.1:40123"
    var embedded = true
    var id = "b-2f0f4c0f"
  }
  struct Config: Codable {
    var minimumVersion = "1.0.0"
    var languages = ["en", "de", "fr", "es", "pl", "ja", "ar", "he"]
    var codeLength = 6
    var features = ["cues": true, "analytics": true, "profiles": true]
  }

  var deviceId = "6be0a1f4-2f0f-4c0f-8a43-2a3b1d0f7c22"
  var name = "Device 1"
  var version = "1.4.0"
  var session = Session()
  var config: Config? = Config()
  var cooldowns = [Cooldown(), Cooldown()]
  var backend = Backend()
  var faults = ["armed": 2]
  var unsentCueEdits = 3
}

/// A cue of the backend's list.
private struct CueSample: Codable {
  enum CodingKeys: String, CodingKey {
    case cueID = "cue_id"
    case prompt, answer, stage, position
    case updatedAt = "updated_at"
  }

  var cueID: String
  var prompt = "el río que pasa por la ciudad"
  var answer = "the river that flows through the city"
  var stage = "new"
  var position: Int
  var updatedAt = Timestamp(milliseconds: 1_790_000_000_000)

  static let list = (0..<50).map { CueSample(cueID: "c-\($0)", position: $0) }
}
