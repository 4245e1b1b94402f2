import { AccessManagerError } from '#contracts'
import { type Handler, type Headers, parseSetCookie } from '#http'
import type { Logger } from '#logging'
import type { RealmUris } from './realm-uri.ts'
import { callRest, type RestResponse } from './rest-call.ts'

interface AgentSettings {
  readonly uris: RealmUris
  readonly handler: Handler
  readonly username: string
  /** Null where not configured: the module of older servers and the default login of the realm are then tried too. */
  readonly journey: string | null
  /** Milliseconds that one call may take. */
  readonly callTimeout: number
  readonly logger: Logger
  /** Rejects with an AccessManagerError. */
  password(): Promise<string>
  cookieName(): Promise<string>
}

/** A journey or module; without a name the default login of the realm. */
interface AuthIndex {
  readonly type: 'service' | 'module'
  readonly value: string | null
}

/** The only login of OpenIG 4 and 5, whose agents are users. Last, so that the logins of agents cost no attempt. */
const DEFAULT_LOGIN: AuthIndex = { type: 'service', value: null }
const CANDIDATES: readonly AuthIndex[] = [
  { type: 'service', value: 'Agent' },
  { type: 'module', value: 'Application' },
  DEFAULT_LOGIN,
]

/** Responses of a journey that does not exist or does not accept the agent. */
const TRY_NEXT: ReadonlySet<number> = new Set([400, 401, 404])

const SESSION_TOKEN = /^[\x21-\x7e]{1,8192}$/
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/

/** Whether a text can be a session token: characters of a header field, at most 8 KiB, and no dot segment where it is in a path. */
export function isSessionToken(text: unknown): text is string {
  return typeof text === 'string' && SESSION_TOKEN.test(text) && text !== '.' && text !== '..'
}

/** Logs the agent in; the journey or module that worked is used from then on. */
export class AgentLogin {
  readonly #settings: AgentSettings
  #known: AuthIndex | null = null

  constructor(settings: AgentSettings) {
    this.#settings = settings
  }

  /** The token of a new session. Rejects with an AccessManagerError that holds no credential. */
  async logIn(): Promise<string> {
    const cookieName = await this.#settings.cookieName()
    const password = await this.#settings.password()
    let refusal = 0
    for (const index of this.#candidates()) {
      const response = await this.#attempt(index, password)
      // A default login with callbacks did not read the credentials: the refusal of the candidate before it is the reason.
      if (index === DEFAULT_LOGIN && refusal !== 0 && hasCallbacks(response)) break
      if (response.status === 200) {
        const token = tokenIn(response, cookieName)
        this.#keep(index)
        return token
      }
      refusal = response.status
      if (!TRY_NEXT.has(response.status)) break
    }
    this.#known = null
    throw refused(refusal)
  }

  #candidates(): readonly AuthIndex[] {
    const { journey } = this.#settings
    if (journey !== null) return [{ type: 'service', value: journey }]
    return this.#known === null ? CANDIDATES : [this.#known]
  }

  #attempt({ type, value }: AuthIndex, password: string): Promise<RestResponse> {
    const { uris, handler, username, callTimeout } = this.#settings
    const query = value === null ? '' : `?authIndexType=${type}&authIndexValue=${encodeURIComponent(value)}`
    const call = {
      method: 'POST',
      uri: uris.rest(`authenticate${query}`),
      resource: '2.1',
      headers: { 'X-OpenAM-Username': fieldText(username), 'X-OpenAM-Password': fieldText(password) },
      body: {},
    } as const
    return callRest(handler, call, callTimeout)
  }

  #keep(index: AuthIndex): void {
    if (this.#settings.journey !== null || this.#known === index) return
    this.#known = index
    const { logger } = this.#settings
    if (index === DEFAULT_LOGIN) logger.info('agent logged in by the default login of its realm')
    else logger.info({ [index.type]: index.value }, 'agent logged in by this journey or module')
  }
}

/** From the body, else from the cookie: OpenAM with HttpOnly cookies leaves the token out of the body. */
function tokenIn(response: RestResponse, cookieName: string): string {
  const { json, headers } = response
  if (hasCallbacks(response)) {
    throw new AccessManagerError(
      'misconfigured',
      'the journey of the agent wants more than a name and a password; set agent.journey to one that does not',
    )
  }
  const token = json?.['tokenId'] ?? cookieIn(headers, cookieName)
  if (isSessionToken(token)) return token
  throw new AccessManagerError('unavailable', 'authenticate: expected a tokenId or the session cookie, got neither')
}

function hasCallbacks({ json }: RestResponse): boolean {
  return json !== null && 'callbacks' in json
}

function cookieIn(headers: Headers, name: string): string | null {
  const cookie = headers
    .all('set-cookie')
    .map(parseSetCookie)
    .findLast((each) => each.name === name)
  return cookie?.value ?? null
}

function refused(status: number): AccessManagerError {
  if (TRY_NEXT.has(status) || status === 403) {
    return new AccessManagerError(
      'refused',
      `the access manager does not let the agent log in (${status}); check its name, password, realm and journey`,
    )
  }
  return new AccessManagerError('unavailable', `authenticate: expected the status 200, got ${status}`)
}

/** A value for a header field; text with other characters becomes an encoded word (RFC 2047). */
function fieldText(text: string): string {
  return PLAIN.test(text) ? text : `=?UTF-8?B?${Buffer.from(text, 'utf8').toString('base64')}?=`
}
