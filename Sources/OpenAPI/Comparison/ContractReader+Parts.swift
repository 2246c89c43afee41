import JSON

extension ContractReader {
  /// The headers that parameters cannot describe (OpenAPI 3.0.4 §4.7.12.1), in lower case.
  private static let ignoredHeaders: Set<String> = ["accept", "content-type", "authorization"]

  mutating func readParameters(_ list: Int?) throws(APIContractError) -> [Int32] {
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

  mutating func readRequestBody(_ value: Int?) throws(APIContractError) -> Int32? {
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

  mutating func readResponse(_ value: Int) throws(APIContractError) -> Int32 {
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
