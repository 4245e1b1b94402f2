/** Reads environment variables as the OpenTelemetry specification asks: an empty value is an unset one. */
export interface Variables {
  /** Null where it is unset. */
  text(name: string): string | null
  /** `true` in any case is true, all else false. */
  flag(name: string): boolean
  /** From 1 to `max`; the default, with a warning, for other texts. */
  integer(name: string, byDefault: number, max: number): number
  /** The default where it is unset; `unsupported`, with a warning, for other values. */
  oneOf<T extends string, D extends string | null>(
    name: string,
    values: readonly T[],
    byDefault: D,
  ): T | D | 'unsupported'
  warn(message: string): void
}

const INTEGER = /^\d{1,9}$/

/** Values are quoted in warnings up to this length; those of headers never are. */
const MAX_QUOTED = 60

export function variablesOf(
  env: Readonly<Record<string, string | undefined>>,
  report: (warning: string) => void,
): Variables {
  const reported = new Set<string>()
  // A variable of all signals is read for each of them.
  const warn = (message: string): void => {
    if (!reported.has(message)) report(message)
    reported.add(message)
  }
  const text = (name: string): string | null => {
    const value = env[name]?.trim() ?? ''
    return value === '' ? null : value
  }
  return {
    text,
    warn,
    flag: (name) => text(name)?.toLowerCase() === 'true',
    integer: (name, byDefault, max) => {
      const value = text(name)
      if (value === null) return byDefault
      if (INTEGER.test(value) && Number(value) >= 1 && Number(value) <= max) return Number(value)
      warn(`${name}: expected a whole number from 1 to ${max}, got ${quoted(value)}; ${byDefault} is used`)
      return byDefault
    },
    oneOf: (name, values, byDefault) => {
      const value = text(name)
      if (value === null) return byDefault
      const found = values.find((each) => each === value.toLowerCase())
      if (found !== undefined) return found
      const effect = byDefault === null ? 'it is taken for none' : `${byDefault} is used`
      warn(`${name}: expected ${values.join(' or ')}, got ${quoted(value)}; ${effect}`)
      return 'unsupported'
    },
  }
}

export function quoted(value: string): string {
  return JSON.stringify(value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED)}...` : value)
}
