import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import type { Clock } from '#schema'
import type { Client, Directory } from '../state/accounts.ts'
import { BoundedMap } from '../state/bounded-map.ts'

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
/** PingAM rejects assertions with a longer lifetime. */
const LONGEST = 30 * 60
const MAX_STORED = 10_000

interface AssertionRules {
  /** Accepted audiences. */
  readonly audiences: (realm: string) => readonly string[]
  /** Whether `kid` is required. */
  readonly needsKeyId: boolean
}

/** Verifies assertions of `private_key_jwt` clients (RFC 7523 section 3). */
export class ClientAssertions {
  readonly #directory: Directory
  readonly #clock: Clock
  readonly #rules: AssertionRules
  readonly #used = new BoundedMap<string, number>(MAX_STORED)

  constructor(directory: Directory, clock: Clock, rules: AssertionRules) {
    this.#directory = directory
    this.#clock = clock
    this.#rules = rules
  }

  /** The client that signed the assertion; undefined for an invalid one. */
  async verify(assertion: string, clientId: string, realm: string): Promise<Client | undefined> {
    try {
      const { sub } = decodeJwt(assertion)
      if (sub === undefined || (clientId !== '' && clientId !== sub)) return undefined
      const client = this.#directory.client(realm, sub)
      if (client?.jwks === undefined) return undefined
      if (this.#rules.needsKeyId && decodeProtectedHeader(assertion).kid === undefined) return undefined
      const now = this.#clock.now()
      const keys = createLocalJWKSet(client.jwks as unknown as JSONWebKeySet)
      const { payload } = await jwtVerify(assertion, keys, {
        algorithms: ALGORITHMS,
        issuer: sub,
        subject: sub,
        audience: [...this.#rules.audiences(realm)],
        requiredClaims: ['exp', 'jti'],
        currentDate: new Date(now),
      })
      const { exp = 0, jti = '' } = payload
      if (exp > now / 1000 + LONGEST) return undefined
      const key = `${sub} ${jti}`
      if ((this.#used.get(key) ?? 0) * 1000 > now) return undefined
      this.#used.set(key, exp)
      return client
    } catch {
      return undefined
    }
  }
}
