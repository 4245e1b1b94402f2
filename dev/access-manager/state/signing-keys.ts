import { createSecretKey, generateKeyPair, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'

/** Signature algorithms of tokens. */
export type SigningAlgorithm = 'RS256' | 'ES256' | 'HS256' | 'EdDSA'

/** A signing key and its public part. */
interface SigningKey {
  readonly kid: string
  readonly algorithm: SigningAlgorithm
  readonly key: KeyObject
  /** Public key; null for a shared secret. */
  readonly jwk: Readonly<Record<string, unknown>> | null
}

const makePair = promisify(generateKeyPair) as (
  type: string,
  options: object,
) => Promise<{ publicKey: KeyObject; privateKey: KeyObject }>

/** The keys of the server, generated on first use. */
export class SigningKeys {
  /** Base64 of the shared secret of HS256. */
  readonly hmacSecret = randomBytes(32).toString('base64')
  #current: Promise<readonly SigningKey[]> | null = null

  /** Replaces all keys; earlier signatures can not be verified by the published set any more. */
  rotate(): void {
    this.#current = null
  }

  async signingKey(algorithm: SigningAlgorithm): Promise<SigningKey> {
    return (await this.#keys()).find((key) => key.algorithm === algorithm) as SigningKey
  }

  /** The public keys, as a JWK set. */
  async published(): Promise<{ keys: Readonly<Record<string, unknown>>[] }> {
    return { keys: (await this.#keys()).flatMap(({ jwk }) => (jwk === null ? [] : [jwk])) }
  }

  #keys(): Promise<readonly SigningKey[]> {
    this.#current ??= Promise.all([
      pairFor('RS256', 'rsa', { modulusLength: 2048 }),
      pairFor('ES256', 'ec', { namedCurve: 'P-256' }),
      pairFor('EdDSA', 'ed25519', {}),
      this.#shared(),
    ])
    return this.#current
  }

  #shared(): SigningKey {
    const key = createSecretKey(Buffer.from(this.hmacSecret, 'base64'))
    return { kid: 'hmac', algorithm: 'HS256', key, jwk: null }
  }
}

async function pairFor(algorithm: SigningAlgorithm, type: string, options: object): Promise<SigningKey> {
  const { publicKey, privateKey } = await makePair(type, options)
  const kid = randomUUID()
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: algorithm }
  return { kid, algorithm, key: privateKey, jwk }
}
