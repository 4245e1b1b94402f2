const LETTERS = ['yyyy', 'MM', 'dd', 'HH', 'mm', 'ss', 'SSS'] as const

type Part = { readonly text: string } | { readonly unit: number }

/**
 * The date pattern of rotated file names: `yyyy MM dd HH mm ss SSS` as in Java, text in single quotes, anything that is no
 * letter. Times are UTC: local time repeats an hour each year, which would put files out of order.
 */
export class DateSuffix {
  readonly #parts: readonly Part[]
  readonly #form: RegExp

  private constructor(parts: readonly Part[]) {
    this.#parts = parts
    const form = parts.map((part) => ('text' in part ? escaped(part.text) : `(\\d{${LETTERS[part.unit]!.length}})`))
    this.#form = new RegExp(`^${form.join('')}(?:_(\\d{1,9}))?$`)
  }

  /** Reads a pattern; returns the reason as a text where it can not be used. */
  static parse(pattern: string): DateSuffix | string {
    const parts: Part[] = []
    for (const [token] of pattern.matchAll(/'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']+|'/g)) {
      const unit = LETTERS.indexOf(token as (typeof LETTERS)[number])
      if (unit >= 0) parts.push({ unit })
      else if (token === "'") return 'a quote is not closed'
      else if (token.startsWith("'"))
        parts.push({ text: token === "''" ? "'" : token.slice(1, -1).replaceAll("''", "'") })
      else if (/^[A-Za-z]/.test(token))
        return `unknown letters "${token}"; known are ${LETTERS.join(' ')}; other text is written in single quotes`
      else parts.push({ text: token })
    }
    if (parts.some((part) => 'text' in part && /[/\\\u0000-\u001f]/.test(part.text)))
      return 'a slash can not be part of a file name'
    const units = parts.flatMap((part) => ('unit' in part ? [part.unit] : []))
    if (new Set(units).size !== units.length) return 'a part of the date is given twice'
    if (units.length === 0) return 'a date is needed, such as -yyyy.MM.dd-HH.mm.ss'
    const smallest = Math.max(...units)
    const missing = LETTERS.find((_, unit) => unit <= smallest && !units.includes(unit))
    // Files are sorted by the date in their names, so a time of day without its day is no order.
    if (missing !== undefined) return `${missing} is needed beside ${LETTERS[smallest]}`
    return new DateSuffix(parts)
  }

  format(time: number): string {
    const values = unitsOf(time)
    return this.#parts.map((part) => ('text' in part ? part.text : (values[part.unit] as string))).join('')
  }

  /** Sort key of a name: the date, then the number after it; null for any other text. */
  order(suffix: string): { readonly date: string; readonly number: number } | null {
    const match = this.#form.exec(suffix)
    if (match === null) return null
    const found: string[] = LETTERS.map((letters) => '0'.repeat(letters.length))
    let group = 1
    for (const part of this.#parts) if ('unit' in part) found[part.unit] = match[group++] as string
    return { date: found.join(''), number: Number(match[group] ?? 0) }
  }
}

function unitsOf(time: number): readonly string[] {
  return new Date(time)
    .toISOString()
    .slice(0, -1)
    .split(/[-T:.]/)
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
