import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { providerOf, Secret, type SecretsProvider } from '#contracts'
import { ENCRYPTION_METHODS, type EncryptionMethod, encryptionRefusal, METHOD_BYTES } from '#jose'
import { ConfigError, config, type Environment, oneOf } from '#schema'

/** Keys that encrypt and decrypt cookies: the first encrypts, all decrypt. */
export interface SymmetricKeys {
  readonly provider: SecretsProvider
  readonly secretId: string
  readonly method: EncryptionMethod
}

/** The field `encryptionMethod`. */
export const ENCRYPTION_METHOD_FIELD = config(oneOf(ENCRYPTION_METHODS))
  .default('A256GCM')
  .meta({ description: 'Content encryption algorithm; the length of the key has to match it.' })

interface ConfiguredKeys {
  readonly secretId: string
  readonly secretsProvider: SecretsProvider
  readonly method: EncryptionMethod
  /** Pointer of the field with the secret id. */
  readonly pointer: string
}

/** Keys of a secret id; a key of the wrong length is reported at load. */
export async function configuredKeys({
  secretId,
  secretsProvider: provider,
  method,
  pointer,
}: ConfiguredKeys): Promise<SymmetricKeys> {
  const refusal = encryptionRefusal(await provider.active({ secretId, purpose: 'ENCRYPT' }), 'dir', method)
  if (refusal !== null) throw new ConfigError([{ pointer, message: refusal }])
  return { provider, secretId, method }
}

/** One random key for all units, kept over changes of the route and lost with the process (decisions 4, JWT session). */
export async function randomKeys(name: string, method: EncryptionMethod, env: Environment): Promise<SymmetricKeys> {
  const initial = { key: randomBytes(METHOD_BYTES[method]).toString('base64') }
  const kept = await env.sharedStore('session key').getOrCreate(`${name} ${method}`, initial, Number.POSITIVE_INFINITY)
  return fixedKeys('random', createSecretKey(Buffer.from(kept.key as string, 'base64')), method, env)
}

/** One key that does not change. */
export function fixedKeys(secretId: string, key: KeyObject, method: EncryptionMethod, env: Environment): SymmetricKeys {
  const secret = new Secret({ secretId, key, source: env.name })
  const store = { find: async () => [secret], onChange: () => () => {} }
  return { provider: providerOf([store]), secretId, method }
}
