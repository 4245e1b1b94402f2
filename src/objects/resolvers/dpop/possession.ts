import type { AccessToken, TokenRejection } from '#contracts'
import type { Exchange } from '#http'
import { TokenError } from '#jose'
import type { Clock, Counter } from '#schema'
import { bindingOf, invalidToken, schemeOf } from '../../lib/tokens/bound-token.ts'
import { Nonces } from './nonces.ts'
import { checkProof, type Proof } from './proof.ts'
import { ProofKeys } from './proof-keys.ts'
import { type ProofMemory, UNDETECTED_CLOCK_STEP } from './proof-memory.ts'
import { UsedProofs } from './used-proofs.ts'

interface PossessionSettings {
  readonly maxAge: number
  readonly requireNonce: boolean
  readonly unbound: 'admitted' | 'refused'
  readonly clock: Clock
  readonly memory: ProofMemory
  readonly counters: { readonly refused: Counter; readonly replayed: Counter; readonly full: Counter }
}

/** Requires a proof that the sender of a request holds the key to which its token is bound (RFC 9449 section 7). */
export class Possession {
  readonly #settings: PossessionSettings
  readonly #nonces: Nonces
  readonly #used: UsedProofs
  readonly #keys = new ProofKeys()

  constructor(settings: PossessionSettings) {
    this.#settings = settings
    this.#nonces = new Nonces(settings.memory.key, settings.maxAge)
    this.#used = new UsedProofs(settings.memory)
  }

  /** The refusal of a request; null where it may use the token. */
  refusal(accessToken: AccessToken, exchange: Exchange): TokenRejection | null {
    const binding = bindingOf(accessToken, 'jkt')
    const scheme = schemeOf(exchange)
    if (binding === 'other')
      return invalidToken('The access token is bound to something that can not be verified here.')
    if (scheme !== 'DPoP') return this.#refusalOfBearer(binding !== 'none')
    if (binding === 'none') return invalidToken('The access token is bound to no key.')
    const refusal = this.#refusalOfProof(accessToken.token, binding.thumbprint, exchange)
    if (refusal !== null) this.#settings.counters.refused.add()
    return refusal
  }

  /** RFC 9449 section 7.2: a bound token is not accepted as a bearer token. */
  #refusalOfBearer(isBound: boolean): TokenRejection | null {
    if (isBound) return invalidToken('The access token is bound to a key and needs the scheme DPoP.')
    if (this.#settings.unbound === 'admitted') return null
    return invalidToken('The access token is bound to no key.')
  }

  #refusalOfProof(token: string, thumbprint: string, exchange: Exchange): TokenRejection | null {
    const fields = exchange.request.headers.all('dpop')
    if (fields.length !== 1)
      return badProof(`The request has ${fields.length === 0 ? 'no' : 'more than one'} DPoP proof.`)
    const { clock, maxAge } = this.#settings
    const { method } = exchange.request
    const requirements = { method, target: exchange.originalUri, token, thumbprint, now: clock.now(), maxAge }
    try {
      const proof = checkProof(fields[0] as string, requirements, this.#keys)
      return this.#refusalOfNonce(proof) ?? this.#refusalOfReplay(proof, thumbprint)
    } catch (error) {
      if (error instanceof TokenError) return badProof(`${sentence(error.message)}.`)
      throw error
    }
  }

  #refusalOfNonce({ nonce }: Proof): TokenRejection | null {
    const { clock, requireNonce, memory } = this.#settings
    const isIncomplete = memory.mayBeIncomplete(clock.now())
    if (!requireNonce && !isIncomplete) return null
    const now = clock.monotonic()
    if (nonce !== null && this.#nonces.accepts(nonce, now)) return null
    return {
      outcome: 'invalid',
      error: 'use_dpop_nonce',
      description: 'The DPoP proof must contain the nonce of this response.',
      headers: { 'DPoP-Nonce': this.#nonces.at(now) },
    }
  }

  #refusalOfReplay({ jti, madeAt }: Proof, thumbprint: string): TokenRejection | null {
    const { clock, maxAge, counters } = this.#settings
    const now = clock.monotonic()
    const left = madeAt + maxAge - clock.now() + UNDETECTED_CLOCK_STEP
    const entry = this.#used.enter(`${thumbprint} ${jti}`, now, now + left)
    if (entry === 'first') return null
    if (entry === 'seen') {
      counters.replayed.add()
      return badProof('The DPoP proof was used before.')
    }
    counters.full.add()
    return { outcome: 'unavailable', description: 'The table of used DPoP proofs is full.' }
  }
}

function badProof(description: string): TokenRejection {
  return { outcome: 'invalid', error: 'invalid_dpop_proof', description }
}

function sentence(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1)
}
