import type { SecretsProvider } from '#contracts'
import { Body, type Exchange, type Handler, Headers, internalCall, internalExchange, Request, Uri } from '#http'
import { type JsonObject, jsonObjectIn } from '#json'
import { SidebandError } from './sideband-message.ts'

interface SidebandSettings {
  /** URL without trailing slash. */
  readonly uri: string
  readonly handler: Handler
  readonly secrets: SecretsProvider
  readonly secretId: string
  readonly headerName: string
}

/** Milliseconds. */
const TIMEOUT = 30_000
const MAX_BYTES = 4 * 1024 * 1024

/** The Sideband API of PingAuthorize and PingOne Authorize. */
export class SidebandApi {
  readonly #settings: SidebandSettings

  constructor(settings: SidebandSettings) {
    this.#settings = settings
  }

  /** Rejects where there is no valid response: with a SidebandError where the API rejects the call. */
  async call(path: 'request' | 'response', body: JsonObject, exchange: Exchange): Promise<JsonObject> {
    const { uri, handler, secrets, secretId, headerName } = this.#settings
    const credential = (await secrets.active({ secretId, purpose: 'GENERIC' })).revealText()
    const content = Body.of(JSON.stringify(body))
    const headers = new Headers([
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json'],
      ['Content-Length', String(content.length)],
      [headerName, credential],
    ])
    const request = new Request({ method: 'POST', uri: Uri.parse(`${uri}/sideband/${path}`), headers, body: content })
    const response = await internalCall(handler, internalExchange(request, exchange), {
      timeout: TIMEOUT,
      maxBytes: MAX_BYTES,
    })
    if (response.cause !== null) throw response.cause
    const { status } = response
    if (status >= 500 || status === 429) throw new Error(`the Sideband API responded with the status ${status}`)
    const answer = status === 200 ? jsonObjectIn(response.body) : null
    if (answer === null) throw new SidebandError(`expected the status 200 with a JSON object, got the status ${status}`)
    return answer
  }
}
