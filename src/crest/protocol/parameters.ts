import { type Request, TooManyFieldsError } from '#http'
import { RequestError } from './refusal.ts'

/** The parameters of Common REST, each with the verbs that accept it. */
const KNOWN: Readonly<Record<string, readonly Purpose[]>> = {
  _action: ['create', 'action'],
  _api: ['descriptor'],
  _crestapi: ['descriptor'],
  _fields: ['create', 'read', 'update', 'delete', 'patch', 'action', 'query'],
  _prettyPrint: ['create', 'read', 'update', 'delete', 'patch', 'action', 'query', 'descriptor'],
  _mimeType: ['read'],
  _queryFilter: ['query'],
  _queryId: ['query'],
  _queryExpression: ['query'],
  _countOnly: ['query'],
  _pageSize: ['query'],
  _pagedResultsCookie: ['query'],
  _pagedResultsOffset: ['query'],
  _totalPagedResultsPolicy: ['query'],
  _sortKeys: ['query'],
}

/** Purpose of a request, which decides the accepted parameters. */
type Purpose = 'create' | 'read' | 'update' | 'delete' | 'patch' | 'action' | 'query' | 'descriptor'

const BY_LOWER_CASE = new Map(Object.keys(KNOWN).map((name) => [name.toLowerCase(), name]))

/** Lists, which may be repeated. */
const REPEATABLE = new Set(['_fields', '_sortKeys'])

/** The parameters of a request. Names with an underscore are reserved and case-insensitive. */
export class Parameters {
  readonly #reserved = new Map<string, string>()
  readonly #own = new Map<string, string>()

  constructor(request: Request) {
    for (const [name, values] of Object.entries(readQuery(request))) {
      const known = BY_LOWER_CASE.get(name.toLowerCase())
      if (known === undefined && name.startsWith('_')) {
        throw new RequestError(
          400,
          `${shown(name)} is not a parameter; names that start with an underscore are reserved`,
        )
      }
      const texts = values.map((value) => value ?? '')
      const kept = known === undefined ? this.#own : this.#reserved
      const key = known ?? name
      if (kept.has(key) || (texts.length > 1 && !REPEATABLE.has(key))) {
        throw new RequestError(400, `${shown(key)} is given more than once`)
      }
      kept.set(key, texts.join(','))
    }
  }

  get(name: string): string | null {
    return this.#reserved.get(name) ?? null
  }

  has(name: string): boolean {
    return this.#reserved.has(name)
  }

  /** `true`, `false`, or the bare name for true. */
  flag(name: string): boolean {
    const value = this.get(name)
    if (value === null || value === 'false') return false
    if (value === 'true' || value === '') return true
    throw new RequestError(400, `${name}: expected true or false, got ${shown(value)}`)
  }

  /** A non-negative integer; null where missing. */
  count(name: string): number | null {
    const value = this.get(name)
    if (value === null) return null
    if (/^\d{1,9}$/.test(value)) return Number(value)
    throw new RequestError(400, `${name}: ${shown(value)} could not be parsed as a valid integer; expected one from 0`)
  }

  /** Rejects parameters that the verb does not accept; returns those that are not reserved. */
  only(purpose: Purpose, own: readonly string[] = []): Readonly<Record<string, string>> {
    for (const name of this.#reserved.keys()) {
      if (!KNOWN[name]?.includes(purpose)) throw new RequestError(400, `${name} can not be used with ${purpose}`)
    }
    for (const name of this.#own.keys()) {
      if (!own.includes(name)) throw new RequestError(400, `${shown(name)} is not a parameter of this ${purpose}`)
    }
    return Object.fromEntries(this.#own)
  }
}

function readQuery(request: Request): Record<string, (string | null)[]> {
  try {
    // The decoder replaces invalid UTF-8 by U+FFFD, which would change the value.
    decodeURIComponent(request.uri.rawQuery ?? '')
    return request.queryParams
  } catch (error) {
    if (error instanceof URIError) throw new RequestError(400, 'the query holds escapes that are not UTF-8')
    if (error instanceof TooManyFieldsError) throw new RequestError(400, 'the query has too many parameters')
    throw error
  }
}

function shown(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text)
}
