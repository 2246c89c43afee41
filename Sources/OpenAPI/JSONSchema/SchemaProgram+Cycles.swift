extension SchemaProgram {
  /// A schema that applies itself to the same value, which would never end; nil if there is none.
  ///
  /// `$dynamicRef` is not followed; the depth of an evaluation is bounded for it.
  var circularSchema: SchemaID? {
    var states = [UInt8](repeating: 0, count: schemas.count)
    for start in schemas.indices where states[start] == 0 {
      var stack = [(schema: SchemaID(start), rest: inPlace(SchemaID(start)))]
      states[start] = 1
      while let top = stack.indices.last {
        guard let next = stack[top].rest.popLast() else {
          states[Int(stack[top].schema)] = 2
          stack.removeLast()
          continue
        }
        switch states[Int(next)] {
        case 1: return next
        case 0:
          states[Int(next)] = 1
          stack.append((next, inPlace(next)))
        default: break
        }
      }
    }
    return nil
  }

  /// The schemas that a schema applies to the same value.
  private func inPlace(_ schema: SchemaID) -> [SchemaID] {
    let schema = schemas[Int(schema)]
    return keywords[Int(schema.first)..<Int(schema.first + schema.count)].flatMap { keyword -> [SchemaID] in
      switch keyword {
      case .reference(let target), .not(let target): [target]
      case .allOf(let list), .anyOf(let list), .oneOf(let list): tables.lists[Int(list)]
      case .dependentSchemas(let number): tables.dependentSchemas[Int(number)].map(\.schema)
      case .conditional(let number):
        [tables.conditionals[Int(number)]].flatMap { [$0.condition, $0.consequence, $0.alternative] }.filter { $0 >= 0 }
      default: []
      }
    }
  }
}
