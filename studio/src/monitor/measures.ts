/** Fields that are delays of an event loop: milliseconds are legible. */
const DELAYS: ReadonlySet<string> = new Set(['meanSeconds', 'p99Seconds', 'maxSeconds'])
/** Fields that are true where they are not zero. */
const FLAGS: ReadonlySet<string> = new Set(['open', 'stale', 'unavailable'])
const DAY = 86_400
/** Days before the end of a certificate from which it is marked. */
const SOON = 30

/** The name of a field in words, with its unit. */
export function fieldLabel(field: string): string {
  if (field === 'notAfter') return 'expires'
  const [name, unit] = DELAYS.has(field)
    ? [field.slice(0, -'Seconds'.length), ' (ms)']
    : field.endsWith('Seconds')
      ? [field.slice(0, -'Seconds'.length), ' (s)']
      : field.endsWith('Bytes')
        ? [field.slice(0, -'Bytes'.length), ' (MB)']
        : [field, '']
  return inWords(name) + unit
}

/** `circuitBreakers` as `circuit breakers`. */
export function inWords(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
}

/** A number as people read it; `none` for a missing one. */
export function measureText(value: number | null | undefined): string {
  if (value === null || value === undefined) return 'none'
  return value.toLocaleString(undefined, { maximumFractionDigits: value < 10 ? 2 : 1 })
}

/** A value of a field, and whether it needs attention. */
export interface Measure {
  readonly text: string
  readonly level?: 'warning' | 'danger'
  readonly isNumber: boolean
}

export function measureOf(field: string, value: unknown): Measure {
  if (typeof value === 'number') return numberOf(field, value)
  const text = value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  return { text, isNumber: false }
}

function numberOf(field: string, value: number): Measure {
  if (field === 'notAfter') return expiry(value)
  if (FLAGS.has(field))
    return value > 0 ? { text: 'yes', level: 'danger', isNumber: false } : { text: 'no', isNumber: false }
  const scaled = DELAYS.has(field) ? value * 1e3 : field.endsWith('Bytes') ? value / 1e6 : value
  return { text: measureText(scaled), isNumber: true }
}

/** A date in seconds since 1970, with the days until it. */
function expiry(seconds: number): Measure {
  const days = Math.floor(seconds / DAY - Date.now() / 1000 / DAY)
  const date = new Date(seconds * 1000).toISOString().slice(0, 10)
  if (days < 0) return { text: `${date}, expired`, level: 'danger', isNumber: false }
  const text = `${date}, in ${days} ${days === 1 ? 'day' : 'days'}`
  return days < SOON ? { text, level: 'warning', isNumber: false } : { text, isNumber: false }
}
