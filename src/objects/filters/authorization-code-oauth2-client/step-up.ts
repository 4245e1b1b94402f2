import type { Response } from '#http'

/** Required authentication context class and age of a login. */
export interface LoginDemand {
  /** Accepted classes; empty for any. */
  readonly acrValues: readonly string[]
  /** Maximum age of the authentication in seconds; null for any. */
  readonly maxAge: number | null
}

const ERROR = /\berror\s*=\s*"?insufficient_user_authentication"?/i
const ACR_VALUES = /\bacr_values\s*=\s*(?:"([\x20-\x7e]{1,500}?)"|([!#-+\--~]{1,500}))/i
const MAX_AGE = /\bmax_age\s*=\s*"?(\d{1,9})"?/i

/** The demand of a challenge (RFC 9470 section 3); null where the response has none. */
export function demandOf(response: Response): LoginDemand | null {
  if (response.status !== 401) return null
  const challenge = response.headers.all('www-authenticate').find((field) => ERROR.test(field))
  if (challenge === undefined) return null
  const acr = ACR_VALUES.exec(challenge)
  const age = MAX_AGE.exec(challenge)?.[1]
  return {
    acrValues: (acr?.[1] ?? acr?.[2] ?? '').split(' ').filter(Boolean),
    maxAge: age === undefined ? null : Number(age),
  }
}
