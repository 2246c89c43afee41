/// Values that are kept within a number of bytes; those that nobody used for the longest time go first.
struct LRUCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// A place in the list from newest to oldest; −1 stands for no neighbour.
  private struct Node: Sendable {
    let key: Key
    var value: Value
    var bytes: Int
    var newer: Int
    var older: Int
  }

  /// How many bytes are kept at most.
  let limit: Int
  /// How many bytes are kept.
  private(set) var bytes = 0
  private var nodes: [Node?] = []
  private var free: [Int] = []
  private var places: [Key: Int] = [:]
  private var newest = -1
  private var oldest = -1

  /// Keeps nothing yet.
  init(limit: Int) { self.limit = max(limit, 0) }

  /// How many values are kept.
  var count: Int { places.count }

  /// The value of a key, without using it.
  func peek(_ key: Key) -> Value? { places[key].flatMap { nodes[$0]?.value } }

  /// The value of a key, which is the newest from now on.
  mutating func use(_ key: Key) -> Value? {
    guard let place = places[key] else { return nil }
    if place != newest {
      unlink(place)
      linkAsNewest(place)
    }
    return nodes[place]?.value
  }

  /// Keeps a value in place of the one before; returns the keys that had to go, its own where it is too large by itself.
  @discardableResult
  mutating func insert(_ value: Value, for key: Key, bytes size: Int) -> [Key] {
    remove(key)
    guard size >= 0, size <= limit else { return [key] }
    let node = Node(key: key, value: value, bytes: size, newer: -1, older: -1)
    let place: Int
    if let reused = free.popLast() {
      nodes[reused] = node
      place = reused
    } else {
      nodes.append(node)
      place = nodes.count - 1
    }
    places[key] = place
    bytes += size
    linkAsNewest(place)
    var gone: [Key] = []
    while bytes > limit, oldest >= 0, let key = nodes[oldest]?.key {
      remove(key)
      gone.append(key)
    }
    return gone
  }

  /// Lets a value go.
  @discardableResult
  mutating func remove(_ key: Key) -> Value? {
    guard let place = places.removeValue(forKey: key), let node = nodes[place] else { return nil }
    unlink(place)
    nodes[place] = nil
    free.append(place)
    bytes -= node.bytes
    return node.value
  }

  /// Lets all values go whose keys are meant; returns the keys.
  @discardableResult
  mutating func removeAll(where isMeant: (Key) -> Bool) -> [Key] {
    let keys = places.keys.filter(isMeant)
    for key in keys { remove(key) }
    return keys
  }

  private mutating func unlink(_ place: Int) {
    guard let node = nodes[place] else { return }
    if node.newer >= 0 { nodes[node.newer]?.older = node.older } else { newest = node.older }
    if node.older >= 0 { nodes[node.older]?.newer = node.newer } else { oldest = node.newer }
  }

  private mutating func linkAsNewest(_ place: Int) {
    nodes[place]?.newer = -1
    nodes[place]?.older = newest
    if newest >= 0 { nodes[newest]?.newer = place }
    newest = place
    if oldest < 0 { oldest = place }
  }
}
