import { compileRegex } from '@identity-gateway/regex'
import { type Field, field } from '#schema'

/** Whether a text matches. */
export interface TextTest {
  (text: string): boolean
  /** The regular expression as configured. */
  readonly source: string
}

/** A regular expression that must match the whole text; `flags` as in `compileRegex`. */
export function wholePattern(flags = ''): Field<TextTest> {
  const schema = () => ({ type: 'string', format: 'regex' })
  return field({ label: 'a regular expression', schema }, (value, report) => {
    if (typeof value !== 'string' || value === '') {
      report(`expected a regular expression, got ${JSON.stringify(value)}`)
      return undefined
    }
    try {
      const pattern = compileRegex(value, flags)
      return Object.assign((text: string) => pattern.matchWhole(text) !== null, { source: value })
    } catch (error) {
      report(`expected a regular expression, got ${JSON.stringify(value)}: ${(error as Error).message}`)
      return undefined
    }
  })
}

/** Whether a port matches. */
export type PortTest = (port: number) => boolean

/** A port such as `"80"`, or an inclusive range such as `"100:200"`. */
export function portRange(): Field<PortTest> {
  const schema = () => ({ anyOf: [{ type: 'string', pattern: '^\\d+(:\\d+)?$' }, { type: 'integer' }] })
  return field({ label: 'a port or a range of ports', schema }, (value, report) => {
    const [, first, last = first] = /^(\d{1,5})(?::(\d{1,5}))?$/.exec(String(value).trim()) ?? []
    const [low, high] = [Number(first), Number(last)]
    if (!(low >= 1 && low <= high && high <= 65535)) {
      report(`expected a port from 1 to 65535, or a range such as "8000:8999", got ${JSON.stringify(value)}`)
      return undefined
    }
    return (port: number) => port >= low && port <= high
  })
}
