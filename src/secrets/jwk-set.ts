import { createHash } from 'node:crypto'
import type { DecodedSecret } from '#contracts'
import { type Handler, Headers, ownExchange, Request, type Response, Uri } from '#http'
import { isPlainObject } from '#json'
import type { Logger } from '#logging'
import { decodeJwk } from './jwk.ts'

/** The keys of a set that can be used, in its order, and what tells the set from another. */
export interface JwkSet {
  readonly keys: readonly DecodedSecret[]
  readonly version: string
}

/** A set of keys is small; an endpoint that sends more is broken or hostile. */
const LARGEST_SET = 1_048_576
const MOST_KEYS = 500
const DEADLINE = 10_000

/**
 * Fetches a JWK Set (RFC 7517 section 5) through a handler. Only an answer of 200 counts: a redirect is not followed,
 * since the URL was chosen and where it would lead was not (threats B65).
 */
export async function fetchJwkSet(url: string, handler: Handler, logger: Logger, deadline = DEADLINE): Promise<JwkSet> {
  const headers = new Headers([['Accept', 'application/jwk-set+json, application/json']])
  const exchange = ownExchange(new Request({ method: 'GET', uri: Uri.parse(url), headers }))
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const error = new Error(`there was no answer within ${deadline} ms`)
    exchange.abort(error)
    reject(error)
  }, deadline).unref()
  try {
    const answer = handler(exchange).then(contentOf)
    // Whoever lost the race has nobody left to tell.
    answer.catch(() => {})
    return decodeJwkSet(await Promise.race([answer, late]), logger)
  } finally {
    clearTimeout(timer)
    exchange.complete()
  }
}

async function contentOf(response: Response): Promise<Uint8Array> {
  if (response.status === 200) return response.body.read(LARGEST_SET)
  response.body.cancel()
  throw new Error(`expected the status 200, got ${response.status}`)
}

/** Takes the public part of each key of a set; a key that can not be used is passed over, as RFC 7517 section 5 wants. */
export function decodeJwkSet(content: Uint8Array, logger: Logger): JwkSet {
  const list = keysIn(content)
  if (list === null) throw new Error('expected a JSON Web Key Set: an object with a list of "keys"')
  if (list.length > MOST_KEYS) throw new Error(`expected at most ${MOST_KEYS} keys, got ${list.length}`)
  const keys: DecodedSecret[] = []
  for (const [at, jwk] of list.entries()) {
    try {
      keys.push(decodeJwk(jwk, 'public'))
    } catch (error) {
      logger.debug({ position: at, reason: (error as Error).message }, 'a key of a JWK Set can not be used')
    }
  }
  return { keys, version: createHash('sha256').update(content).digest('base64') }
}

function keysIn(content: Uint8Array): readonly unknown[] | null {
  try {
    const set: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content))
    return isPlainObject(set) && Object.hasOwn(set, 'keys') && Array.isArray(set['keys']) ? set['keys'] : null
  } catch {
    return null
  }
}
