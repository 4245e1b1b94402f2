import { createHash } from 'node:crypto'
import type { DecodedSecret } from '#contracts'
import { type Handler, Headers, internalCall, internalExchange, Request, Uri } from '#http'
import { jsonObjectIn } from '#json'
import type { Logger } from '#logging'
import { decodeJwk } from './jwk.ts'

/** The usable keys of a set, in its order, and its fingerprint. */
export interface JwkSet {
  readonly keys: readonly DecodedSecret[]
  readonly version: string
}

/** A JWK Set is small; a larger response is faulty or hostile. */
const LARGEST_SET = 1_048_576
const MOST_KEYS = 500
const TIMEOUT = 10_000

/** Fetches a JWK Set (RFC 7517 section 5) through a handler. */
export async function fetchJwkSet(url: string, handler: Handler, logger: Logger, timeout = TIMEOUT): Promise<JwkSet> {
  const headers = new Headers([['Accept', 'application/jwk-set+json, application/json']])
  const exchange = internalExchange(new Request({ method: 'GET', uri: Uri.parse(url), headers }))
  const { status, body } = await internalCall(handler, exchange, {
    timeout,
    maxBytes: LARGEST_SET,
    wantsBody: (response) => response.status === 200,
  })
  if (status !== 200) throw new Error(`expected the status 200, got ${status}`)
  return decodeJwkSet(body, logger)
}

/** Decodes the public part of each key; unusable keys are skipped (RFC 7517 section 5). */
function decodeJwkSet(content: Uint8Array, logger: Logger): JwkSet {
  const list = jsonObjectIn(content)?.['keys']
  if (!Array.isArray(list))
    throw new Error('expected a JSON Web Key Set: an object with a list of "keys", and with each member once')
  if (list.length > MOST_KEYS) throw new Error(`expected at most ${MOST_KEYS} keys, got ${list.length}`)
  const keys: DecodedSecret[] = []
  for (const [at, jwk] of list.entries()) {
    try {
      keys.push(decodeJwk(jwk, 'public'))
    } catch (error) {
      logger.debug({ position: at, reason: (error as Error).message }, 'key of a JWK Set skipped: it can not be used')
    }
  }
  return { keys, version: createHash('sha256').update(content).digest('base64') }
}
