import { parseDuration } from '#expression'
import { type Field, field } from '#schema'

/** A unit of time: its configured name and its length. */
export interface TimeUnit {
  readonly name: string
  readonly milliseconds: number
}

/** Any unit that a duration may have, from nanoseconds to days. */
export function timeUnit(): Field<TimeUnit> {
  const label = 'a unit of time such as "milliseconds"'
  const examples = ['microseconds', 'milliseconds', 'seconds']
  return field({ label, schema: () => ({ type: 'string', examples }) }, (value, report) => {
    const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
    const milliseconds = /^\p{L}+$/u.test(word) ? parseDuration(`1 ${word}`) : null
    if (milliseconds !== null) return { name: word, milliseconds }
    report(`expected ${label}, got ${typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : typeof value}`)
    return undefined
  })
}
