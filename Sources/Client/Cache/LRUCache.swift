/// A cache with a size limit in bytes that evicts the least recently used values first.
struct LRUCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// A node of the list from newest to oldest; −1 stands for no neighbor.
  private struct Node: Sendable {
    let key: Key
    var value: Value
    var bytes: Int
    var newer: Int
    var older: Int
  }

  /// The size limit in bytes.
  let limit: Int
  /// The current size in bytes.
  private(set) var bytes = 0
  private var nodes: [Node?] = []
  private var free: [Int] = []
  private var places: [Key: Int] = [:]
  private var newest = -1
  private var oldest = -1

  /// Creates an empty cache.
  init(limit: Int) { self.limit = max(limit, 0) }

  /// The number of values.
  var count: Int { places.count }

  /// The value of a key; does not count as a use.
  func peek(_ key: Key) -> Value? { places[key].flatMap { nodes[$0]?.value } }

  /// The value of a key, which becomes the most recently used.
  mutating func use(_ key: Key) -> Value? {
    guard let place = places[key] else { return nil }
    if place != newest {
      unlink(place)
      linkAsNewest(place)
    }
    return nodes[place]?.value
  }

  /// Stores or replaces a value; returns the evicted keys, including `key` if the value is larger than the limit.
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

  /// Removes a value.
  @discardableResult
  mutating func remove(_ key: Key) -> Value? {
    guard let place = places.removeValue(forKey: key), let node = nodes[place] else { return nil }
    unlink(place)
    nodes[place] = nil
    free.append(place)
    bytes -= node.bytes
    return node.value
  }

  /// Removes the values of the keys that match; returns those keys.
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
