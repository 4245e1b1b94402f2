// Keys of scripts as secrets, so that one implementation signs, verifies, encrypts and decrypts.
import { createSecretKey, type KeyObject } from 'node:crypto'
import { classOf, exceptions, PairKeyValue, SecretKeyValue, type Value } from '@identity-gateway/groovy'
import { providerOf, Secret } from '#contracts'
import { ScriptSecret } from '../../script-secrets.ts'
import { SecretValue } from '../secrets.ts'

/** The id of keys that are no secrets of a store, in messages. */
const OWN_KEY = 'key-of-the-script'

/** The secret of a `Secret` or a `java.security.Key`. */
export function secretOf(value: Value): ScriptSecret {
  if (value instanceof SecretValue) return value.host
  if (value instanceof PairKeyValue) return ownKey(value.key)
  if (value instanceof SecretKeyValue) return ownKey(createSecretKey(value.bytes))
  throw exceptions.illegalArgument(
    `expected a Key or a secret of secrets.get, got ${value === null ? 'null' : classOf(value).name}`,
  )
}

function ownKey(key: KeyObject): ScriptSecret {
  const secret = new Secret({ secretId: OWN_KEY, key })
  const store = { find: async () => [secret], onChange: () => () => undefined }
  return new ScriptSecret({ provider: providerOf([store]), secretId: OWN_KEY }, secret)
}
