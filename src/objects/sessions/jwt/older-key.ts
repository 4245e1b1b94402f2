import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import type { KeyStore } from '#contracts'
import { METHOD_BYTES } from '#jose'
import { ConfigError } from '#schema'
import type { SessionKeys } from './session-token.ts'

/** Key fields of JwtSession in OpenIG. */
export interface OlderKeyFields {
  readonly keystore?: KeyStore | undefined
  readonly alias?: string | undefined
  readonly password?: string | undefined
  readonly sharedSecret?: string | undefined
}

const PURPOSE = 'identity gateway session encryption'
/** OpenIG demands as much for HS256. */
const LEAST_BYTES = 32

/**
 * The key of an older configuration, derived (RFC 5869) from its shared secret or from its private key: gateways with the same
 * configuration read each other's sessions. Null without such a configuration. The cookies of OpenIG itself can not be read.
 */
export async function olderKey(fields: OlderKeyFields, method: SessionKeys['method']): Promise<KeyObject | null> {
  const material = sharedBytes(fields) ?? (await privateKeyBytes(fields))
  if (material === null) return null
  return createSecretKey(Buffer.from(hkdfSync('sha256', material, '', PURPOSE, METHOD_BYTES[method])))
}

/** The key that a shared secret in a file has, in base64; null for an expression, or too few bytes. */
export function sharedKey(sharedSecret: unknown, method: unknown): string | null {
  if (typeof sharedSecret !== 'string' || /[$#&]\{/.test(sharedSecret)) return null
  const bytes = Buffer.from(sharedSecret, 'base64')
  const length = typeof method === 'string' ? METHOD_BYTES[method as SessionKeys['method']] : undefined
  if (bytes.length < LEAST_BYTES || length === undefined) return null
  return Buffer.from(hkdfSync('sha256', bytes, '', PURPOSE, length)).toString('base64')
}

function sharedBytes({ sharedSecret }: OlderKeyFields): Buffer | null {
  if (sharedSecret === undefined) return null
  const bytes = Buffer.from(sharedSecret, 'base64')
  if (bytes.length >= LEAST_BYTES) return bytes
  const message = `expected at least ${LEAST_BYTES} bytes in base64, got ${bytes.length}`
  throw new ConfigError([{ pointer: '/sharedSecret', message }])
}

async function privateKeyBytes({ keystore, alias, password }: OlderKeyFields): Promise<Buffer | null> {
  if (keystore === undefined) return null
  const items = await keystore.items(password === undefined ? null : Buffer.from(password, 'utf8'))
  const found = items.find((item) => item.key?.type === 'private' && (alias === undefined || item.alias === alias))
  if (found?.key) return found.key.export({ type: 'pkcs8', format: 'der' })
  const message = `expected the alias of a private key in the keystore, got ${JSON.stringify(alias)}`
  throw new ConfigError([{ pointer: '/alias', message }])
}
