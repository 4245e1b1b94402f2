/** Texts whose results are kept: that of now, the one before it, and one to compare with. */
const KEPT = 3

/** A function of a text that is computed once while the text is one of the latest: a key that is typed asks for it many times. */
export function ofLatestTexts<Result>(compute: (text: string) => Result): (text: string) => Result {
  const results = new Map<string, Result>()
  return (text) => {
    const known = results.get(text)
    if (known !== undefined || results.has(text)) return known as Result
    const result = compute(text)
    results.set(text, result)
    if (results.size > KEPT) results.delete(results.keys().next().value as string)
    return result
  }
}
