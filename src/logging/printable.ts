import { inspect } from 'node:util'
import { isConfidential, redacted } from './confidential.ts'

/** JSON.rawJSON objects, which the types of TypeScript lack: JSON.stringify writes their text unchanged. */
const { isRawJSON: isRawJson } = JSON as unknown as { isRawJSON(value: unknown): boolean }

/** The longest text of one value in an entry; the rest is truncated and counted. */
const maxTextLength = 8192

const maxEntryLength = 65_536
const maxDepth = 6
const maxItems = 100
const maxCauses = 5

type Printable = string | number | boolean | null | Printable[] | { [name: string]: Printable }

/** Truncates a text that is too long for a log and appends the number of omitted characters. */
export function bounded(text: string, limit: number = maxTextLength): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}...(${text.length - limit} more)`
}

/** Copies logged values into plain, bounded JSON values without credentials; one instance for each entry. */
export class Printer {
  #left = maxEntryLength
  readonly #open = new Set<object>()
  readonly #stacks: boolean

  /** `stacks`: whether errors are written with their stacks. */
  constructor(stacks = false) {
    this.#stacks = stacks
  }

  /** The fields of an entry; names in `taken` are written with a trailing `_`, since they are names of the entry itself. */
  fields(fields: object, taken: ReadonlySet<string>): Record<string, Printable> {
    const copy: Record<string, Printable> = Object.create(null)
    if (fields instanceof Error) {
      copy['error'] = this.#error(fields, 0)
      return copy
    }
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) continue
      copy[taken.has(name) ? `${name}_` : name] = this.#member(name, value, 1)
    }
    return copy
  }

  #member(name: string, value: unknown, depth: number): Printable {
    this.#left -= name.length
    return isConfidential(name) && value !== null ? redacted : this.#value(value, depth)
  }

  #text(text: string): string {
    const shortened = bounded(text, Math.max(0, Math.min(maxTextLength, this.#left)))
    this.#left -= shortened.length
    return shortened
  }

  #value(value: unknown, depth: number): Printable {
    switch (typeof value) {
      case 'string':
        return this.#text(value)
      case 'boolean':
        return value
      case 'number':
        return Number.isFinite(value) ? value : String(value)
      case 'bigint':
        return this.#text(value.toString())
      case 'symbol':
        return this.#text(value.description ?? 'symbol')
      case 'function':
        return '[function]'
      case 'object':
        return value === null ? null : this.#object(value, depth)
      default:
        return null
    }
  }

  #object(value: object, depth: number): Printable {
    if (depth > maxDepth || this.#left <= 0) return '[...]'
    if (this.#open.has(value)) return '[circular]'
    this.#open.add(value)
    try {
      return this.#content(value, depth)
    } catch {
      // A getter, toJSON or proxy of the logged value failed; a log call never throws at its caller.
      return '[unprintable]'
    } finally {
      this.#open.delete(value)
    }
  }

  #content(value: object, depth: number): Printable {
    if (value instanceof Error) return this.#error(value, depth)
    if (Array.isArray(value)) return this.#list(value, depth)
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
    const own = value as { toJSON?: unknown; entries?: unknown; rawJSON?: unknown; [inspect.custom]?: unknown }
    // A number that is not a double: as text, since most log readers would round it.
    if (isRawJson(value)) return this.#text(String(own.rawJSON))
    if (typeof own.toJSON === 'function') return this.#value(own.toJSON(), depth + 1)
    if (typeof own[inspect.custom] === 'function') return this.#text(inspect(value, { depth: 0 }))
    // Maps, and header lists that are iterated as name and value.
    if (!isPlain(value) && typeof own.entries === 'function') return this.#pairs(own.entries(), depth)
    return this.#pairs(Object.entries(value), depth)
  }

  #list(list: readonly unknown[], depth: number): Printable[] {
    const copy: Printable[] = []
    for (const item of list) {
      if (copy.length === maxItems || this.#left <= 0) {
        copy.push(`[${list.length - copy.length} more]`)
        break
      }
      copy.push(this.#value(item, depth + 1))
    }
    return copy
  }

  #pairs(pairs: Iterable<readonly [unknown, unknown]>, depth: number): Printable {
    const copy: Record<string, Printable> = Object.create(null)
    let count = 0
    for (const [key, value] of pairs) {
      if (value === undefined) continue
      if (count++ === maxItems || this.#left <= 0) {
        copy['...'] = 'more'
        break
      }
      const name = bounded(String(key), 256)
      const printed = this.#member(name, value, depth + 1)
      const before = copy[name]
      copy[name] = before === undefined ? printed : [before, printed].flat()
    }
    return copy
  }

  #error(error: Error, causes: number): Printable {
    const { code, status, cause } = error as { code?: unknown; status?: unknown; cause?: unknown }
    const copy: Record<string, Printable> = Object.create(null)
    copy['name'] = this.#text(String(error.name))
    if (typeof code === 'string' || typeof code === 'number') copy['code'] = this.#value(code, 0)
    if (typeof status === 'number') copy['status'] = status
    copy['message'] = this.#text(withoutAdvice(String(error.message)))
    if (this.#stacks && typeof error.stack === 'string') copy['stack'] = this.#text(withoutAdvice(error.stack))
    if (cause !== undefined && causes < maxCauses) {
      copy['cause'] = cause instanceof Error ? this.#error(cause, causes + 1) : this.#value(cause, maxDepth)
    }
    if (error instanceof AggregateError && causes < maxCauses) {
      copy['errors'] = error.errors.slice(0, maxCauses).map((inner) => this.#value(inner, causes + 1))
    }
    return copy
  }
}

/** Node adds an option of its command line to TLS errors; the gateway trusts what the configuration names. */
const NODE_ADVICE = '; if the root CA is installed locally, try running Node.js with --use-system-ca'

function withoutAdvice(text: string): string {
  return text.replace(NODE_ADVICE, '')
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
