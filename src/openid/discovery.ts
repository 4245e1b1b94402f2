import type { Handler } from '#http'
import { isPlainObject, type JsonObject, parseJson } from '#json'
import type { Clock } from '#schema'
import { fetchBy } from './fetch-by-handler.ts'
import { OpenIdError } from './open-id-error.ts'

/** What a server says of itself, with its name. */
export type ServerMetadata = JsonObject & { readonly issuer: string }

/** After a failure the server is left alone for a moment, so that waiting requests do not all ask again. */
const FAILURE_PAUSE = 2_000
/** What a login needs to know. */
const LOGIN_MEMBERS = ['issuer', 'authorization_endpoint', 'token_endpoint']
/** Metadata are asked for anew after this time; keys have a time of their own. */
const LIFETIME = 60 * 60_000

/** Reads the metadata of a server when they are first wanted, once for all who wait, and again from time to time. */
export class Discovery {
  readonly #url: string
  readonly #handler: Handler
  readonly #clock: Clock
  readonly #required: readonly string[]
  #known: { readonly metadata: ServerMetadata; readonly at: number } | null = null
  #asking: Promise<ServerMetadata> | null = null
  #failed: { readonly error: OpenIdError; readonly at: number } | null = null

  /** `required`: members that the metadata must have, as URLs. */
  constructor(url: string, handler: Handler, clock: Clock, required: readonly string[] = LOGIN_MEMBERS) {
    this.#url = url
    this.#handler = handler
    this.#clock = clock
    this.#required = required
  }

  /** The metadata; while the server fails, those known from before. */
  async metadata(): Promise<ServerMetadata> {
    const now = this.#clock.monotonic()
    const known = this.#known
    if (known !== null && now - known.at < LIFETIME) return known.metadata
    if (this.#failed !== null && now - this.#failed.at < FAILURE_PAUSE) {
      if (known !== null) return known.metadata
      throw this.#failed.error
    }
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null
    })
    return this.#asking.catch((error: unknown) => {
      if (known !== null) return known.metadata
      throw error
    })
  }

  async #ask(): Promise<ServerMetadata> {
    try {
      const answer = await fetchBy(this.#handler, null)(this.#url, {
        method: 'GET',
        headers: { Accept: 'application/json' },
      })
      const metadata = checked(answer.status, await answer.text(), this.#required)
      this.#known = { metadata, at: this.#clock.monotonic() }
      this.#failed = null
      return metadata
    } catch (cause) {
      const message = `the metadata at ${this.#url} can not be read: ${(cause as Error).message}`
      const error = new OpenIdError('temporarily_unavailable', message, true, { cause })
      this.#failed = { error, at: this.#clock.monotonic() }
      throw error
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
  return metadata as ServerMetadata
}
