import type { Options } from './broker-address.ts'
import type { Findings } from './findings.ts'
import type { KnownNames } from './known-names.ts'

/** Longest duration of an option, in milliseconds. */
const MAX_DURATION = 24 * 3600 * 1000

/** Reads options of an address, and reports those that were not read. */
export class OptionReader {
  readonly #options: Options
  readonly #findings: Findings
  readonly #path: readonly string[]
  readonly #known = new Set<string>()

  constructor(options: Options, findings: Findings, path: readonly string[]) {
    this.#options = options
    this.#findings = findings
    this.#path = path
  }

  /** What is known of names. */
  get names(): KnownNames {
    return this.#findings.names
  }

  text(name: string): string | null {
    this.#known.add(name)
    return this.#options.get(name) ?? null
  }

  boolean(name: string): boolean | null {
    const value = this.text(name)
    if (value === null || /^(?:true|false)$/i.test(value)) return value === null ? null : value.toLowerCase() === 'true'
    this.problem(name, 'expected true or false')
    return null
  }

  /** A number of at least `min`. */
  number(name: string, min = 0): number | null {
    const value = this.text(name)
    if (value === null) return null
    const number = Number(value)
    if (value.trim() !== '' && Number.isFinite(number) && number >= min) return number
    this.problem(name, `expected a number of at least ${min}`)
    return null
  }

  /** Milliseconds of a time limit; Java's 0 and -1 mean no limit, which is given as `unlimited`. */
  duration(name: string, unlimited: number): number | null {
    const value = this.number(name, -1)
    if (value === null) return null
    return value <= 0 ? unlimited : Math.min(value, MAX_DURATION)
  }

  list(name: string): string[] | null {
    const value = this.text(name)
    return value === null
      ? null
      : value
          .split(',')
          .map((item) => item.trim())
          .filter((item) => item !== '')
  }

  problem(name: string, message: string): void {
    this.#findings.problem(this.#path, `option ${name}: ${message}`)
  }

  warning(name: string, message: string): void {
    this.#findings.warning(this.#path, `option ${name}: ${message}`)
  }

  /** Warns where the value of an option has no effect. */
  unsupported(name: string, explanation: string, harmless: readonly string[] = []): void {
    const value = this.text(name)
    if (value !== null && !harmless.includes(value.toLowerCase())) this.warning(name, explanation)
  }

  /** Warns of the options that were not read and are not harmless. */
  finish(harmless: RegExp): void {
    for (const name of this.#options.keys()) {
      if (this.#known.has(name) || harmless.test(name)) continue
      this.warning(name, `is not known and has no effect${this.names.didYouMean(name, [...this.#known])}`)
    }
  }
}
