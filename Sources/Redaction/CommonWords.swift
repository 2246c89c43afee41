/// Common words that people also use as sign-in names, such as `admin` and `test`.
///
/// As a name, such a word is masked only if it is a whole value: anywhere else, masking it would make a row unreadable.
enum CommonWords {
  private static let all = Set(
    """
    access account accounts active address admin administrator agent anonymous api application array auth author backend basic
    bearer body boolean bot client code config console content cookie create created customer data date debug default delete
    demo dev developer device disabled email employee enabled error errors event example expired failed failure false field file
    first form get group groups guest head header headers hello help home host html http https identifier info input insert
    invalid item items json key language last link list local localhost locale login logout mail manager member members message
    messages method mobile mode model module monitor name names network next none null number object office offset operator
    option options order origin other output owner page pages param partner password patch path payload person phone ping
    post private prod product production profile profiles public query read refresh request reset resource response result
    results role roles root rule sales scope search secret security select self server service session settings share sign
    signature staff staging state status string student success super superuser support system tag task team tenant test tester
    testing tests text time title token tokens true type unknown update updated upload url user username users valid value
    values verify version view visitor void web webhook word work worker write www
    """.split { $0 == " " || $0 == "\n" }.map(String.init))

  static func contains(_ value: String) -> Bool { all.contains(value.lowercased()) }
}
