import Testing

@testable import Text

struct ClampedSumTests {
  @Test(arguments: [
    ([], 0), ([1, 2], 3), ([Int.max, 1], Int.max), ([Int.min, -1], Int.min), ([Int.max, Int.min], -1),
    ([Int.max, 1, -1], Int.max - 1),
  ])
  func aSumStaysInItsType(_ numbers: [Int], sum: Int) {
    #expect(numbers.clampedSum == sum)
  }
}
