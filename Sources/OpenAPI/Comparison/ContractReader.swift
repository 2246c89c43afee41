import JSON
import Text

/// Reads a document into ``ContractTables``.
struct ContractReader {
  typealias Location = SchemaIndex.Location

  private static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]
  private static let maximumHops = 32

  private let tokens: JSONDocument
  private var compiler: SchemaCompiler
  private let document: Int
  private var pointers = PointerResolver()
  private var parameters: [ContractParameter] = []
  private var parameterNumbers: [Int: Int32] = [:]
  private var externalParameterNumber: Int32?
  private var requestBodies: [ContractBody] = []
  private var requestBodyNumbers: [Int: Int32] = [:]
  private var responses: [ContractResponse] = []
  private var responseNumbers: [Int: Int32] = [:]
  private var operations: [ContractOperation] = []
  private var prefixes: Set<String> = []
  /// The remaining size of all operations together, because they can share parts that the document contains once.
  private var allowance = APIContract.maximumValues

  init(_ tokens: JSONDocument, dialect: SchemaCompiler.Dialect) {
    self.tokens = tokens
    compiler = SchemaCompiler(dialect, assertsFormats: true, maximumSchemas: APIContract.maximumSchemas)
    document = compiler.index.add(tokens, uri: "openapi:/", isSchema: false)
  }

  /// Reads everything; the second result lists the parts that are not compared.
  mutating func read() throws(APIContractError) -> (tables: ContractTables, notes: [String]) {
    let components = tokens.member("components", of: 0)
    // All of them, so that their anchors and mistakes are known.
    for (_, value) in tokens.members(of: tokens.member("schemas", of: components)) { _ = schema(at: value) }
    readServers(tokens.member("servers", of: 0))
    var entries: [PathTable.Entry] = []
    guard let paths = tokens.member("paths", of: 0) else {
      return (try tables(entries, components), compiler.notes)
    }
    guard tokens[paths].kind == .object else { throw .invalid(pointer: "#/paths", expected: "object") }
    for (key, value) in tokens.members(of: paths) {
      let name = tokens.text(key)
      guard name.hasPrefix("/") else { continue }
      let operations: [String: Int32]? = if let item = try target(of: value) { try readPath(name, item) } else { nil }
      entries.append(PathTable.Entry(template: PathTemplate(name), operations: operations))
      guard entries.count <= APIContract.maximumPaths else { throw .tooManyValues }
    }
    return (try tables(entries, components), compiler.notes)
  }

  private mutating func tables(_ entries: [PathTable.Entry], _ components: Int?) throws(APIContractError) -> ContractTables {
    let program: SchemaProgram
    do {
      program = try compiler.finish()
    } catch {
      switch error {
      case .unresolvedReference(let reference, let pointer): throw .unresolvedReference(reference, pointer: pointer)
      case .circularReference(let pointer): throw .circularReference(pointer: pointer)
      case .tooManySchemas: throw .tooManyValues
      case .tooManyIdentifiers: throw .tooManyIdentifiers
      }
    }
    // The types that a schema accepts are known after references are resolved.
    for place in parameters.indices
    where parameters[place].place == .query && parameters[place].separation == .repeatedName
      && parameters[place].schema >= 0 && program.describesObject(parameters[place].schema)
    {
      parameters[place].spreadsMembers = true
    }
    var keys: Set<String> = []
    for (_, scheme) in tokens.members(of: tokens.member("securitySchemes", of: components)) {
      if tokens.string(tokens.member("in", of: scheme)) == "query", let name = tokens.string(tokens.member("name", of: scheme)) {
        keys.insert(name)
      }
    }
    return ContractTables(
      program: program, paths: PathTable(entries, prefixes: prefixes), operations: operations, parameters: parameters,
      requestBodies: requestBodies, responses: responses, keyParameters: keys)
  }

  private mutating func readPath(_ path: String, _ item: Int) throws(APIContractError) -> [String: Int32] {
    // Many paths may refer to one item, which is read for each of them.
    let parameters = tokens.member("parameters", of: item)
    allowance -= tokens[item].count + (parameters.map { tokens[$0].count } ?? 0)
    guard allowance > 0 else { throw .tooManyValues }
    readServers(tokens.member("servers", of: item))
    let shared = try readParameters(parameters)
    var numbers: [String: Int32] = [:]
    for method in Self.methods {
      guard let value = tokens.member(method, of: item), tokens[value].kind == .object else { continue }
      readServers(tokens.member("servers", of: value))
      let operation = try readOperation(value, method: method.uppercased(), path: path, shared: shared)
      allowance -= operation.parameters.count + operation.responses.count + 1
      guard allowance > 0 else { throw .tooManyValues }
      numbers[operation.method] = Int32(clamping: operations.count)
      operations.append(operation)
    }
    return numbers
  }

  private mutating func readOperation(
    _ value: Int, method: String, path: String, shared: [Int32]
  ) throws(APIContractError) -> ContractOperation {
    let own = try readParameters(tokens.member("parameters", of: value))
    // A parameter of the operation replaces that of the path with the same name and place.
    let replaced = Set(own.map { [parameters[Int($0)].name, parameters[Int($0)].place.rawValue] })
    let inherited = shared.filter { !replaced.contains([parameters[Int($0)].name, parameters[Int($0)].place.rawValue]) }
    var exact: [Int: Int32] = [:]
    var classes: [Int: Int32] = [:]
    var standard: Int32? = nil
    for (key, response) in tokens.members(of: tokens.member("responses", of: value)) {
      let number = try readResponse(response)
      let name = tokens.text(key)
      if name == "default" {
        standard = number
      } else if name.utf8.count == 3, name.uppercased().hasSuffix("XX"), let digit = name.first?.wholeNumberValue {
        classes[digit] = number
      } else if let status = Int(name) {
        exact[status] = number
      }
    }
    return ContractOperation(
      name: tokens.string(tokens.member("operationId", of: value)) ?? "\(method) \(path)", method: method,
      path: path,
      parameters: inherited + own, requestBody: try readRequestBody(tokens.member("requestBody", of: value)), responses: exact,
      responseClasses: classes, defaultResponse: standard)
  }

  /// The number of a schema.
  private mutating func schema(at value: Int?) -> SchemaID {
    value.map { compiler.schema(at: Location(document: document, token: $0)) } ?? -1
  }

  /// The target object of a Reference Object, or the value itself; nil if the reference is external.
  private mutating func target(of value: Int) throws(APIContractError) -> Int? {
    var value = value
    for _ in 0..<Self.maximumHops {
      guard let reference = tokens.string(tokens.member("$ref", of: value)) else { return value }
      guard reference.hasPrefix("#") else {
        compiler.note("The external reference at", Location(document: document, token: value))
        return nil
      }
      let pointer = PercentCoding.decodeLeniently(String(reference.dropFirst()))
      guard let path = pointers.path(pointer, from: Location(document: document, token: 0), in: tokens), let next = path.last
      else { throw .unresolvedReference(reference, pointer: "#" + tokens.pointer(to: value)) }
      value = next
    }
    throw .circularReference(pointer: "#" + tokens.pointer(to: value))
  }

  /// The maximum number of bytes of a server's URL with variables, and of a variable's value.
  private static let longestURL = 4096
  private static let longestValue = 256

  /// Reads the paths of servers, with the default values of their variables.
  private mutating func readServers(_ servers: Int?) {
    for server in tokens.elements(of: servers).prefix(32) {
      guard var url = tokens.string(tokens.member("url", of: server)), prefixes.count < 32 else { continue }
      for (key, variable) in tokens.members(of: tokens.member("variables", of: server)).prefix(32) {
        guard let value = tokens.string(tokens.member("default", of: variable)) else { continue }
        // A value may name the next variable, several times.
        guard url.utf8.count <= Self.longestURL, value.utf8.count <= Self.longestValue else { break }
        url = url.replacing("{\(tokens.text(key))}", with: value)
      }
      var path = URIReference(url).path
      while path.hasSuffix("/") { path.removeLast() }
      if path.hasPrefix("/") { prefixes.insert(path) }
    }
  }
}

extension ContractReader {
  /// The headers that parameters cannot describe (OpenAPI 3.0.4 §4.7.12.1), in lower case.
  private static let ignoredHeaders: Set<String> = ["accept", "content-type", "authorization"]

  private mutating func readParameters(_ list: Int?) throws(APIContractError) -> [Int32] {
    var numbers: [Int32] = []
    for element in tokens.elements(of: list) {
      guard let value = try target(of: element) else {
        numbers.append(externalParameter())
        continue
      }
      if let known = parameterNumbers[value] {
        numbers.append(known)
        continue
      }
      guard let name = tokens.string(tokens.member("name", of: value)),
        let place = tokens.string(tokens.member("in", of: value)).flatMap(ContractParameter.Place.init(rawValue:)),
        !(place == .header && Self.ignoredHeaders.contains(name.lowercased()))
      else { continue }
      let number = Int32(clamping: parameters.count)
      parameters.append(parameter(value, name: name, place: place))
      parameterNumbers[value] = number
      numbers.append(number)
    }
    return numbers
  }

  /// The number of the parameter that stands for those of other documents.
  private mutating func externalParameter() -> Int32 {
    if let number = externalParameterNumber { return number }
    let number = Int32(clamping: parameters.count)
    parameters.append(.external)
    externalParameterNumber = number
    return number
  }

  private mutating func parameter(_ value: Int, name: String, place: ContractParameter.Place) -> ContractParameter {
    let style = tokens.string(tokens.member("style", of: value)) ?? (place == .query ? "form" : "simple")
    let explode = tokens.member("explode", of: value)
    let separation: ContractParameter.Separation =
      switch style {
      case "spaceDelimited": .separator(UInt8(ascii: " "))
      case "pipeDelimited": .separator(UInt8(ascii: "|"))
      case "form" where explode == nil || tokens.isTrue(explode): .repeatedName
      default: .separator(UInt8(ascii: ","))
      }
    let isCompared = style == "form" || style == "simple" || style == "spaceDelimited" || style == "pipeDelimited"
    return ContractParameter(
      name: name, place: place, isRequired: place == .path || tokens.isTrue(tokens.member("required", of: value)),
      allowsEmptyValue: tokens.isTrue(tokens.member("allowEmptyValue", of: value)),
      schema: isCompared ? schema(at: tokens.member("schema", of: value)) : -1, separation: separation,
      spreadsMembers: place == .query && !isCompared)
  }

  private mutating func readRequestBody(_ value: Int?) throws(APIContractError) -> Int32? {
    guard let value else { return nil }
    let number = Int32(clamping: requestBodies.count)
    guard let body = try target(of: value) else {
      requestBodies.append(.external)
      return number
    }
    if let known = requestBodyNumbers[body] { return known }
    requestBodies.append(
      ContractBody(
        isRequired: tokens.isTrue(tokens.member("required", of: body)), content: readContent(tokens.member("content", of: body))))
    requestBodyNumbers[body] = number
    return number
  }

  private mutating func readResponse(_ value: Int) throws(APIContractError) -> Int32 {
    guard let response = try target(of: value) else {
      responses.append(.external)
      return Int32(clamping: responses.count - 1)
    }
    if let known = responseNumbers[response] { return known }
    var headers: [ContractParameter] = []
    for (key, value) in tokens.members(of: tokens.member("headers", of: response)) {
      let name = tokens.text(key)
      guard name.lowercased() != "content-type", let header = try target(of: value) else { continue }
      headers.append(
        ContractParameter(
          name: name, place: .header, isRequired: tokens.isTrue(tokens.member("required", of: header)), allowsEmptyValue: false,
          schema: schema(at: tokens.member("schema", of: header)), separation: .separator(UInt8(ascii: ","))))
    }
    let number = Int32(clamping: responses.count)
    responses.append(ContractResponse(headers: headers, body: readBody(tokens.member("content", of: response))))
    responseNumbers[response] = number
    return number
  }

  private mutating func readBody(_ content: Int?) -> ContractResponse.Body {
    guard let content, tokens[content].kind == .object else { return .unspecified }
    let described = readContent(content)
    return described.isEmpty ? .none : .described(ContractBody(isRequired: true, content: described))
  }

  private mutating func readContent(_ content: Int?) -> [(type: MediaType, schema: SchemaID)] {
    var result: [(type: MediaType, schema: SchemaID)] = []
    for (key, value) in tokens.members(of: content).prefix(100) {
      result.append((MediaType(tokens.text(key)), schema(at: tokens.member("schema", of: value))))
    }
    return result
  }
}

/// The parts of a document, as numbered tables; see ``APIContract``.
final class ContractTables: Sendable {
  let program: SchemaProgram
  let paths: PathTable
  let operations: [ContractOperation]
  let parameters: [ContractParameter]
  let requestBodies: [ContractBody]
  let responses: [ContractResponse]
  /// Query parameters that authenticate a call; every operation may have them.
  let keyParameters: Set<String>
  /// The names of parameters, headers and members that do not look like identifiers of a program.
  let nonIdentifierNames: Set<String>

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
    let names = parameters.map(\.name) + responses.flatMap(\.headers).map(\.name) + keyParameters
    nonIdentifierNames = Set(names + program.tables.objects.flatMap(\.members).map(\.name)).filter { PlainName.shown($0) != $0 }
  }
}
