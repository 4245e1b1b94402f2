import { createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { providerOf, Secret, SecretError, type SecretStore, SecretStoreKind, type SecretsProvider } from '#contracts'
import type { KeySource } from '#jose'
import { defineType, map, string } from '#schema'

/** Keys of a test, generated once: RSA keys are slow to generate. */
export const keyPairs = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  otherRsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  p256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  otherP256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  p384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  p521: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  ed25519: generateKeyPairSync('ed25519'),
  x25519: generateKeyPairSync('x25519'),
}

/** A symmetric key of the given size; equal for equal arguments. */
export function symmetricKey(bytes: number, fill = 7): KeyObject {
  return createSecretKey(Buffer.alloc(bytes, fill))
}

/** A secret that is a key. */
export function keySecret(key: KeyObject, stableId: string | null = null, algorithm: string | null = null): Secret {
  return new Secret({ secretId: 'key', key, stableId, algorithm })
}

/** A store of keys by secret id; an id with the value null fails like an unavailable store. */
export function storeOfKeys(byId: Readonly<Record<string, readonly Secret[] | null>>): SecretStore {
  return {
    find: async ({ secretId }) => {
      const secrets = byId[secretId]
      if (secrets === null) throw new SecretError(`the store can not serve "${secretId}"`)
      return secrets ?? null
    },
    onChange: () => () => {},
  }
}

/** A provider with the single id `key`. */
export function sourceOf(...secrets: readonly Secret[]): KeySource & { readonly provider: SecretsProvider } {
  return { provider: providerOf([storeOfKeys({ key: secrets })]), secretId: 'key' }
}

/** A type of secret stores for one test: `{ "type": "TestKeys" }`. */
export function testKeysType(byId: Readonly<Record<string, readonly Secret[] | null>>) {
  return defineType({
    name: 'TestKeys',
    kind: SecretStoreKind,
    summary: 'Keys of a test.',
    config: { unused: map(string()).optional() },
    create: (): SecretStore => storeOfKeys(byId),
  })
}

/** A token with any header and payload, unsigned or signed by a function of its first two parts. */
export function rawToken(
  header: unknown,
  payload: unknown,
  sign: (text: string) => Buffer = () => Buffer.alloc(0),
): string {
  const encoded = [header, payload].map((part) => {
    return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')
  })
  const text = encoded.join('.')
  return `${text}.${sign(text).toString('base64url')}`
}
