import type { TextTarget } from '#schema'

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

/** Writes texts made of two values, first of those given. The last one is kept as bytes as soon as it is written again. */
export function lastPiece<A, B>(
  make: (a: A, b: B) => string,
  a: NoInfer<A>,
  b: NoInfer<B>,
): (target: TextTarget, a: A, b: B) => boolean {
  const textOf = lastText(make, a, b)
  let last = ''
  let isAscii = true
  let bytes: Uint8Array | null = null
  return (target, nextA, nextB) => {
    const text = textOf(nextA, nextB)
    if (text !== last) {
      last = text
      bytes = null
      isAscii = target.ascii(text)
      return isAscii
    }
    if (!isAscii) return false
    bytes ??= Buffer.from(text, 'latin1')
    return target.bytes(bytes)
  }
}
