import { createHmac, randomBytes } from 'node:crypto'

/** The values that bind a login to its browser, derived from one random secret so that only the secret is stored. */
export interface LoginSecrets {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** 256 bits: entropy of the verifier by RFC 7636 section 7.1. */
const SECRET_BYTES = 32
const SECRET = /^[A-Za-z0-9_-]{43}$/

export function newLoginSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

export function isLoginSecret(text: unknown): text is string {
  return typeof text === 'string' && SECRET.test(text)
}

export function loginSecrets(secret: string): LoginSecrets {
  return { state: derived(secret, 'state'), nonce: derived(secret, 'nonce'), verifier: derived(secret, 'verifier') }
}

function derived(secret: string, use: string): string {
  return createHmac('sha256', secret).update(`gateway login ${use}`).digest('base64url')
}
