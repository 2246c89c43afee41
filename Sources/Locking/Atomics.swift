package import Synchronization

/// An atomic counter with relaxed ordering.
package struct AtomicCounter: ~Copyable, Sendable {
  @usableFromInline let number: Atomic<Int>

  /// Starts at `value`.
  @inlinable package init(_ value: Int = 0) { number = Atomic(value) }

  /// The current value.
  @inlinable package var value: Int { number.load(ordering: .relaxed) }

  /// Adds `amount` and returns the previous value; wraps around on overflow.
  @inlinable @discardableResult package func add(_ amount: Int = 1) -> Int {
    number.wrappingAdd(amount, ordering: .relaxed).oldValue
  }
}

/// An atomic flag. A thread that sees it set also sees all writes from before it was set.
package struct AtomicFlag: ~Copyable, Sendable {
  @usableFromInline let flag: Atomic<Bool>

  /// Starts as `isSet`.
  @inlinable package init(_ isSet: Bool = false) { flag = Atomic(isSet) }

  /// Whether it is set.
  @inlinable package var isSet: Bool { flag.load(ordering: .acquiring) }

  /// Sets or clears the flag.
  @inlinable package func set(_ isSet: Bool = true) { flag.store(isSet, ordering: .releasing) }
}

/// An atomic word with relaxed ordering.
package struct AtomicWord: ~Copyable, Sendable {
  @usableFromInline let word: Atomic<UInt>

  /// Starts as `value`.
  @inlinable package init(_ value: UInt = 0) { word = Atomic(value) }

  /// The current value.
  @inlinable package var value: UInt { word.load(ordering: .relaxed) }

  /// Replaces the value.
  @inlinable package func set(_ value: UInt) { word.store(value, ordering: .relaxed) }
}

/// A reference that is set once, by the first thread.
package struct LazyReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  @usableFromInline let reference = AtomicLazyReference<Object>()

  /// Starts without an object.
  @inlinable package init() {}

  /// The object; nil if none was stored yet.
  @inlinable package var value: Object? { reference.load() }

  /// Stores the object unless one is stored already; returns the stored one.
  @inlinable package func setIfNil(_ object: Object) -> Object { reference.storeIfNil(object) }
}
