/// What a document describes, as numbered tables; see ``APIContract``.
final class ContractTables: Sendable {
  let program: SchemaProgram
  let paths: PathTable
  let operations: [ContractOperation]
  let parameters: [ContractParameter]
  let requestBodies: [ContractBody]
  let responses: [ContractResponse]
  /// Query parameters that authenticate a call; every operation may have them.
  let keyParameters: Set<String>

  init(
    program: SchemaProgram, paths: PathTable, operations: [ContractOperation], parameters: [ContractParameter],
    requestBodies: [ContractBody], responses: [ContractResponse], keyParameters: Set<String>
  ) {
    self.program = program
    self.paths = paths
    self.operations = operations
    self.parameters = parameters
    self.requestBodies = requestBodies
    self.responses = responses
    self.keyParameters = keyParameters
  }
}
