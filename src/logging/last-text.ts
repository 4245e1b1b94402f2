/** Makes texts of two values, first of those given, and keeps the last one: most events repeat the values of the one before. */
export function lastText<A, B>(make: (a: A, b: B) => string, a: NoInfer<A>, b: NoInfer<B>): (a: A, b: B) => string {
  let lastA: A = a
  let lastB: B = b
  let text = make(a, b)
  return (nextA, nextB) => {
    if (nextA === lastA && nextB === lastB) return text
    text = make(nextA, nextB)
    lastA = nextA
    lastB = nextB
    return text
  }
}
