/** The mappings of `java.lang.Character`: one letter to one letter, so that `ß` and `İ` do not become two. */
export function upperLetter(letter: string): string {
  const upper = letter.toUpperCase()
  return upper.length === letter.length ? upper : letter
}

export function lowerLetter(letter: string): string {
  return letter === 'İ' ? 'i' : letter.toLowerCase()
}

const ASCII = /^[\0-\x7f]*$/

/**
 * A text of the same length that is equal for texts that Java's `equalsIgnoreCase` takes for equal: it compares the lower case of
 * the upper case of each letter. The lower case of a whole text has one more character for `İ`.
 */
export function caseFolded(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  let folded = ''
  for (const letter of text) folded += lowerLetter(upperLetter(letter))
  return folded
}

/** As `String.equalsIgnoreCase` of Java. */
export function equalsInAnyCase(one: string, other: string): boolean {
  return one.length === other.length && (one === other || caseFolded(one) === caseFolded(other))
}
