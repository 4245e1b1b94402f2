/** Two values from which a text is made. */
type MakeText<A, B> = (a: A, b: B) => string

/** Keeps the last text: most events repeat the values of the one before. */
export function lastText<A, B>(make: MakeText<A, B>, a: NoInfer<A>, b: NoInfer<B>): MakeText<A, B> {
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
