import { CachedValue } from '#cache'
import type { Handler } from '#http'
import { isPlainObject, type JsonObject, parseJson } from '#json'
import type { Clock } from '#schema'
import { fetchBy } from './fetch-by-handler.ts'
import { OpenIdError } from './open-id-error.ts'

/** Metadata of a server, with its issuer. */
export type ServerMetadata = JsonObject & { readonly issuer: string }

/** Pause after a failure, so that waiting requests do not all retry. */
const FAILURE_PAUSE = 2_000
/** Metadata members that a login needs. */
const LOGIN_MEMBERS = ['issuer', 'authorization_endpoint', 'token_endpoint']
/** Members that browsers are redirected to: another scheme, such as `javascript:`, must not get there. */
const REDIRECT_MEMBERS = ['authorization_endpoint', 'end_session_endpoint']
/** Keys have a separate TTL. */
const METADATA_TTL = 60 * 60_000

/** The metadata of an authorization server (RFC 8414), loaded on first use and cached. */
export class Discovery {
  readonly #url: string
  readonly #handler: Handler
  readonly #required: readonly string[]
  readonly #metadata: CachedValue<ServerMetadata>

  /** `required`: members that the metadata must have, as URLs. */
  constructor(url: string, handler: Handler, clock: Clock, required: readonly string[] = LOGIN_MEMBERS) {
    this.#url = url
    this.#handler = handler
    this.#required = required
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
      return checked(answer.status, await answer.text(), this.#required)
    } catch (cause) {
      const message = `the metadata at ${this.#url} can not be read: ${(cause as Error).message}`
      throw new OpenIdError('temporarily_unavailable', message, true, { cause })
    }
  }
}

function checked(status: number, text: string, required: readonly string[]): ServerMetadata {
  if (status !== 200) throw new Error(`expected the status 200, got ${status}`)
  const metadata = parseJson(text)
  if (!isPlainObject(metadata)) throw new Error('expected a JSON object')
  for (const field of required) {
    const value = Object.hasOwn(metadata, field) ? metadata[field] : null
    if (typeof value !== 'string' || !URL.canParse(value)) throw new Error(`expected "${field}" to be a URL`)
  }
  for (const field of REDIRECT_MEMBERS) {
    const value = Object.hasOwn(metadata, field) ? metadata[field] : null
    if (value !== null && !isHttpUrl(value)) throw new Error(`expected "${field}" to be an http or https URL`)
  }
  return metadata as ServerMetadata
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '')
}
