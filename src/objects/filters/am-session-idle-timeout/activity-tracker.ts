import { hash } from 'node:crypto'
import { decryptToken, encryptJwt, parseToken, TokenError } from '#jose'
import { isPlainObject, parseJson } from '#json'
import type { SymmetricKeys } from '../../lib/sessions/symmetric-keys.ts'

/** Last use of a session; times in milliseconds. */
export interface Activity {
  /** Since the epoch. */
  readonly lastActive: number
  readonly idleTimeout: number
}

/** Encrypts the last use of a session, bound to its token and to the name of the cookie. */
export async function sealActivity(
  { lastActive, idleTimeout }: Activity,
  token: string,
  audience: string,
  { provider, secretId, method }: SymmetricKeys,
): Promise<string> {
  const secret = await provider.active({ secretId, purpose: 'ENCRYPT' })
  const claims = { aud: audience, session: digest(token), last_active: lastActive, idle_timeout: idleTimeout }
  return encryptJwt(secret, JSON.stringify(claims), { algorithm: 'dir', method, content: 'claims' })
}

/** Decrypts the last use; null for every other text, and for that of another session. */
export async function openActivity(
  text: string,
  token: string,
  audience: string,
  keys: SymmetricKeys,
): Promise<Activity | null> {
  const content = await decrypted(text, keys)
  const claims = content === null ? null : parsed(content)
  if (!isPlainObject(claims) || claims['aud'] !== audience || claims['session'] !== digest(token)) return null
  const { last_active: lastActive, idle_timeout: idleTimeout } = claims
  if (typeof lastActive !== 'number' || typeof idleTimeout !== 'number') return null
  return { lastActive, idleTimeout }
}

async function decrypted(text: string, keys: SymmetricKeys): Promise<Buffer | null> {
  try {
    const token = parseToken(text)
    if (token.form !== 'encrypted' || token.header.alg !== 'dir' || token.method !== keys.method) return null
    const decryption = await decryptToken(token, keys)
    if (decryption.outcome === 'unavailable') throw new Error(decryption.reason)
    return decryption.outcome === 'decrypted' ? decryption.content : null
  } catch (error) {
    if (error instanceof TokenError) return null
    throw error
  }
}

function parsed(content: Buffer): unknown {
  try {
    return parseJson(content.toString('utf8'))
  } catch {
    return null
  }
}

function digest(token: string): string {
  return hash('sha256', token, 'base64url')
}
