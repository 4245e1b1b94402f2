import { calculateJwkThumbprint, EmbeddedJWK, type JWK, jwtVerify } from 'jose'
import type { Clock } from '#schema'
import type { Call } from '../http/call.ts'
import { BoundedMap } from '../state/bounded-map.ts'

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const TOLERANCE = 60
const MAX_STORED = 10_000

/** Verifies the proof of a token request (RFC 9449 section 4.3). */
export class DpopProofs {
  readonly #clock: Clock
  readonly #addresses: (realm: string) => readonly string[]
  readonly #used = new BoundedMap<string, true>(MAX_STORED)

  /** `addresses`: all URLs of the token endpoint. */
  constructor(clock: Clock, addresses: (realm: string) => readonly string[]) {
    this.#clock = clock
    this.#addresses = addresses
  }

  /** Thumbprint of the key of the proof (RFC 7638); undefined for an invalid proof. */
  async verify(proof: string, { method, realm }: Pick<Call, 'method' | 'realm'>): Promise<string | undefined> {
    try {
      const now = this.#clock.now()
      const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
        typ: 'dpop+jwt',
        algorithms: ALGORITHMS,
        requiredClaims: ['htm', 'htu', 'iat', 'jti'],
        currentDate: new Date(now),
      })
      const { htm, htu, iat = 0, jti = '' } = payload
      if (htm !== method || typeof htu !== 'string' || !this.#addresses(realm).includes(htu)) return undefined
      if (Math.abs(now / 1000 - iat) > TOLERANCE) return undefined
      const thumbprint = await calculateJwkThumbprint(protectedHeader.jwk as JWK)
      const key = `${thumbprint} ${jti}`
      if (this.#used.has(key)) return undefined
      this.#used.set(key, true)
      return thumbprint
    } catch {
      return undefined
    }
  }
}
