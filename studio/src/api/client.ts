/** Path of the pages, and of the admin connector that serves them: `/` or `/<prefix>/`. */
export const PAGES = new URL(document.baseURI).pathname
export const ROOT = new URL('..', document.baseURI).pathname

/** A problem of a route, as the gateway's validation reports it. */
export interface Problem {
  readonly pointer: string
  readonly message: string
  readonly line?: number
  readonly column?: number
}

/** A response of the management API that is not successful; the message is the gateway's. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** 0 for a redirect. */
  readonly status: number
  readonly problems: readonly Problem[]

  constructor(status: number, message: string, problems: readonly Problem[] = []) {
    super(message)
    this.status = status
    this.problems = problems
  }

  /** A redirect is that of an `adminProtection` which asks for a login. */
  get isLoginNeeded(): boolean {
    return this.status === 401 || this.status === 0
  }
}

/** The gateway can not be reached. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'

  constructor() {
    super('The gateway does not respond. It may be restarting; drafts are kept in this browser.')
  }
}

const listeners = new Set<() => void>()

/** Calls a function when a response says that the session has ended. */
export function onSessionEnded(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The session is read again by those who watch it. */
export function sessionMayHaveEnded(): void {
  for (const listener of listeners) listener()
}

/** Options of a call. */
export interface CallOptions {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** Whether a refusal is the answer of a question and not news of the session. */
  readonly isProbe?: boolean
}

/** Milliseconds after which a call without a response ends, so that it can be tried again. Longer than a deployment takes. */
const LONGEST_CALL = 120_000

/** Calls the management API; `path` is relative to the root of the admin connector. */
export async function call<T>(path: string, options: CallOptions = {}): Promise<T> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), LONGEST_CALL)
  try {
    return await callWithin<T>(path, options, limit.signal)
  } finally {
    clearTimeout(timer)
  }
}

async function callWithin<T>(
  path: string,
  { method, body, headers = {}, signal, isProbe = false }: CallOptions,
  limit: AbortSignal,
): Promise<T> {
  let response: Response
  try {
    response = await fetch(ROOT + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      credentials: 'same-origin',
      redirect: 'manual',
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Unreachable()
  }
  if (response.ok) return (response.status === 204 ? undefined : await contentOf(response)) as T
  const error = await errorOf(response)
  if (error.isLoginNeeded && !isProbe) sessionMayHaveEnded()
  throw error
}

async function contentOf(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    // Cut off, or the page of a proxy.
    throw new Error(
      `The response of the gateway (status ${response.status}) is not the expected JSON. Try again; is a proxy in between?`,
    )
  }
}

/** Why a read is refused as one that is not right in itself (400); null where it is not, or nothing responds. */
export async function refusalOf(path: string): Promise<string | null> {
  const abort = new AbortController()
  try {
    const response = await fetch(ROOT + path, {
      credentials: 'same-origin',
      redirect: 'manual',
      signal: abort.signal,
    })
    return response.status === 400 ? (await errorOf(response)).message : null
  } catch {
    return null
  } finally {
    // A stream would go on.
    abort.abort()
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  if (response.type === 'opaqueredirect') return new ApiError(0, 'The login has ended.')
  const content = (await response.json().catch(() => ({}))) as { message?: string; detail?: { problems?: Problem[] } }
  const message = content.message ?? `The gateway responded with status ${response.status}.`
  return new ApiError(response.status, message, content.detail?.problems ?? [])
}

/** A query of a Common REST collection, all pages. */
export async function queryAll<T>(path: string, parameters: Readonly<Record<string, string>>): Promise<T[]> {
  const results: T[] = []
  let cookie: string | null = null
  do {
    const search = new URLSearchParams({ _queryFilter: 'true', _pageSize: '1000', ...parameters })
    if (cookie !== null) search.set('_pagedResultsCookie', cookie)
    const page: { results: T[]; pagedResultsCookie: string | null } = await call(`${path}?${search}`)
    results.push(...page.results)
    cookie = page.pagedResultsCookie
  } while (cookie !== null)
  return results
}
