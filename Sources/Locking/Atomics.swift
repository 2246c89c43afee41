package import Synchronization

/// A number that any thread may add to; its changes order nothing else.
package struct AtomicCounter: ~Copyable, Sendable {
  @usableFromInline let number: Atomic<Int>

  /// Starts at `value`.
  @inlinable package init(_ value: Int = 0) { number = Atomic(value) }

  /// The number at this moment.
  @inlinable package var value: Int { number.load(ordering: .relaxed) }

  /// Adds `amount` and returns the number before; wraps around at the ends.
  @inlinable @discardableResult package func add(_ amount: Int = 1) -> Int {
    number.wrappingAdd(amount, ordering: .relaxed).oldValue
  }
}

/// A fact that any thread may set or clear; whoever sees it set also sees what was written before it was set.
package struct AtomicFlag: ~Copyable, Sendable {
  @usableFromInline let flag: Atomic<Bool>

  /// Starts as `isSet`.
  @inlinable package init(_ isSet: Bool = false) { flag = Atomic(isSet) }

  /// Whether it is set.
  @inlinable package var isSet: Bool { flag.load(ordering: .acquiring) }

  /// Sets it, or clears it.
  @inlinable package func set(_ isSet: Bool = true) { flag.store(isSet, ordering: .releasing) }
}

/// A word that any thread may replace; its changes order nothing else.
package struct AtomicWord: ~Copyable, Sendable {
  @usableFromInline let word: Atomic<UInt>

  /// Starts as `value`.
  @inlinable package init(_ value: UInt = 0) { word = Atomic(value) }

  /// The word at this moment.
  @inlinable package var value: UInt { word.load(ordering: .relaxed) }

  /// Replaces it.
  @inlinable package func set(_ value: UInt) { word.store(value, ordering: .relaxed) }
}

/// An object that is made once, by whichever thread is first.
package struct LazyReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  @usableFromInline let reference = AtomicLazyReference<Object>()

  /// Nothing yet.
  @inlinable package init() {}

  /// The object; nil if none was stored yet.
  @inlinable package var value: Object? { reference.load() }

  /// Stores the object unless there is one, and returns the one that is stored.
  @inlinable package func setIfNil(_ object: Object) -> Object { reference.storeIfNil(object) }
}
