import { createHash } from 'node:crypto'
import { equalsConstantTime } from '#http'
import type { Clock } from '#schema'
import { BoundedMap } from '../../state/bounded-map.ts'
import { randomToken } from '../../state/identifiers.ts'
import type { Session } from '../../state/sessions.ts'
import { type Grant, isOf } from '../../state/tokens.ts'
import type { AuthorizationRequest } from './authorization-request.ts'

const LIFETIME = 120_000
const MOST = 10_000

interface GrantedCode {
  readonly grant: Grant
  readonly request: AuthorizationRequest
  readonly session: Session
}

interface StoredCode extends GrantedCode {
  readonly endsAt: number
  used: boolean
}

/** Authorization codes: each valid for one exchange within two minutes. */
export class AuthorizationCodes {
  readonly #clock: Clock
  readonly #codes = new BoundedMap<string, StoredCode>(MOST)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  issue(granted: GrantedCode): string {
    const code = randomToken()
    this.#codes.set(code, { ...granted, endsAt: this.#clock.now() + LIFETIME, used: false })
    return code
  }

  /** The grant of a code, if the exchange is valid. A second use revokes the tokens of the first. */
  redeem(form: URLSearchParams, client: { readonly id: string; readonly realm?: string }): GrantedCode | null {
    const kept = this.#codes.get(form.get('code') ?? '')
    if (kept === undefined || !isOf(kept.grant, client)) return null
    if (kept.used) {
      kept.grant.revoked = true
      return null
    }
    kept.used = true
    const { request } = kept
    const inTime = this.#clock.now() < kept.endsAt
    return inTime && form.get('redirect_uri') === request.redirectUri && proves(form, request) ? kept : null
  }
}

/** RFC 7636 section 4.6; a verifier without a challenge is a downgrade and rejected too. */
function proves(form: URLSearchParams, { challenge }: AuthorizationRequest): boolean {
  const verifier = form.get('code_verifier')
  if (challenge === null) return verifier === null
  return verifier !== null && equalsConstantTime(challenge, createHash('sha256').update(verifier).digest('base64url'))
}
