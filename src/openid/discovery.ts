import { CachedValue } from '#cache'
import type { Handler } from '#http'
import { type JsonObject, jsonObjectIn } from '#json'
import type { Clock } from '#schema'
import { fetchBy } from './fetch-by-handler.ts'
import { isIssuerAt } from './metadata-issuer.ts'
import { OpenIdError } from './open-id-error.ts'

/** Metadata of a server, with its issuer. */
export type ServerMetadata = JsonObject & { readonly issuer: string }

/** Pause after a failure, so that waiting requests do not all retry. */
const FAILURE_PAUSE = 2_000
/** Metadata members that a login needs. */
const LOGIN_MEMBERS = ['issuer', 'authorization_endpoint', 'token_endpoint']
/** Members that browsers are redirected to: another scheme, such as `javascript:`, must not get there. */
const REDIRECT_MEMBERS = ['authorization_endpoint', 'end_session_endpoint']
/** Members that a login uses. */
const USED_BY_LOGINS = [
  ...LOGIN_MEMBERS,
  'userinfo_endpoint',
  'jwks_uri',
  'end_session_endpoint',
  'revocation_endpoint',
  'pushed_authorization_request_endpoint',
]
/** Keys have a separate TTL. */
const METADATA_TTL = 60 * 60_000

interface DiscoverySettings {
  /** The members that are used, each a URL; those of a login by default, of which most are optional. */
  readonly required?: readonly string[] | null
  /** Members that replace those of the server. The operator answers for them: they are not checked. */
  readonly configured?: JsonObject
  /** Whether the issuer is used as named, such as that of an access manager whose realms have several URLs. */
  readonly admitsAnyIssuer?: boolean
}

/** The metadata of an authorization server (RFC 8414), loaded on first use and cached. */
export class Discovery {
  readonly #url: string
  readonly #handler: Handler
  readonly #settings: Required<DiscoverySettings>
  readonly #metadata: CachedValue<ServerMetadata>

  constructor(url: string, handler: Handler, clock: Clock, settings: DiscoverySettings = {}) {
    this.#url = url
    this.#handler = handler
    this.#settings = { required: null, configured: {}, admitsAnyIssuer: false, ...settings }
    this.#metadata = new CachedValue({
      clock,
      ttl: METADATA_TTL,
      staleTtl: Number.POSITIVE_INFINITY,
      failurePause: FAILURE_PAUSE,
      load: () => this.#fetch(),
    })
  }

  /** While the server fails, the last metadata. */
  metadata(): Promise<ServerMetadata> {
    return this.#metadata.get()
  }

  async #fetch(): Promise<ServerMetadata> {
    try {
      const answer = await fetchBy(this.#handler, null)(this.#url, {
        method: 'GET',
        headers: { Accept: 'application/json' },
      })
      return this.#checked(answer.status, new Uint8Array(await answer.arrayBuffer()))
    } catch (cause) {
      const message = `the metadata at ${this.#url} can not be read: ${(cause as Error).message}`
      throw new OpenIdError('temporarily_unavailable', message, true, { cause })
    }
  }

  #checked(status: number, content: Uint8Array): ServerMetadata {
    if (status !== 200) throw new Error(`expected the status 200, got ${status}`)
    const found = jsonObjectIn(content)
    if (found === null) throw new Error('expected a JSON object with each member once')
    const { configured, required, admitsAnyIssuer } = this.#settings
    const metadata = { ...found, ...configured }
    for (const name of required ?? LOGIN_MEMBERS) {
      const value = Object.hasOwn(metadata, name) ? metadata[name] : null
      if (typeof value !== 'string' || !URL.canParse(value)) throw new Error(`expected "${name}" to be a URL`)
    }
    for (const name of REDIRECT_MEMBERS) {
      const value = Object.hasOwn(metadata, name) ? metadata[name] : null
      if (value !== null && !isHttpUrl(value)) throw new Error(`expected "${name}" to be an http or https URL`)
    }
    for (const name of required ?? USED_BY_LOGINS) {
      if (!Object.hasOwn(configured, name) && this.#isDowngrade(found[name]))
        throw new Error(`expected "${name}" to be an https URL, as that of the metadata is`)
    }
    const issuer = metadata['issuer']
    const isGiven = admitsAnyIssuer || Object.hasOwn(configured, 'issuer')
    if (!isGiven && !(typeof issuer === 'string' && isIssuerAt(this.#url, issuer)))
      throw new Error(
        `expected the issuer that belongs to this URL, got ${JSON.stringify(issuer)?.slice(0, 200)}: configure "issuer" if that one is right`,
      )
    return metadata as ServerMetadata
  }

  #isDowngrade(value: unknown): boolean {
    return this.#url.startsWith('https:') && typeof value === 'string' && URL.parse(value)?.protocol === 'http:'
  }
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '')
}
