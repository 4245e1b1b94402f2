/** Two values from which a text is made. */
type MakeText<A, B> = (a: A, b: B) => string

/** Keeps the last text: most events repeat the values of the one before. */
export function lastText<A, B>(make: MakeText<A, B>, a: NoInfer<A>, b: NoInfer<B>): MakeText<A, B> {
  let lastA: A = a
  let lastB: B = b
  let text = flatText(make(a, b))
  return (nextA, nextB) => {
    if (nextA === lastA && nextB === lastB) return text
    text = flatText(make(nextA, nextB))
    lastA = nextA
    lastB = nextB
    return text
  }
}

/** V8 keeps a concatenation as a tree of its parts, which each event with this text would walk again. */
export function flatText(text: string): string {
  return Buffer.from(text).toString()
}
