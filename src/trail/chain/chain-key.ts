import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  type Hmac,
  type KeyObject,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto'

/** Signing key of a chain, as plain data: bytes of a shared secret, or a private or public key as PEM. */
export type ChainKey = { readonly secret: Uint8Array } | { readonly pem: string }

/**
 * Hashes and signs lines. With a shared secret every hash is an HMAC-SHA256, so that no line can be forged without it; with
 * a key pair hashes are SHA-256 and only checkpoints are signed, so that the public key is enough to verify.
 */
export interface ChainSigner {
  /** Hash of a line: of the hash of the line before, and of all its text. Latin-1 of the bytes when verifying. */
  hash(previous: string, text: readonly string[], encoding: 'utf8' | 'latin1'): string
  sign(text: string): string
  verify(text: string, signature: string): boolean
}

export function chainSigner(key: ChainKey): ChainSigner {
  return 'secret' in key ? secretSigner(key.secret) : keySigner(key.pem)
}

function secretSigner(secret: Uint8Array): ChainSigner {
  const signature = (text: string): string =>
    createHmac('sha256', secret).update('signature\n').update(text).digest('base64url')
  return {
    hash: (previous, text, encoding) => digest(createHmac('sha256', secret), previous, text, encoding),
    sign: signature,
    verify: (text, given) => equalTexts(signature(text), given),
  }
}

function keySigner(pem: string): ChainSigner {
  const isPrivate = /PRIVATE KEY-----/.test(pem)
  const publicKey = createPublicKey(pem)
  const privateKey = isPrivate ? createPrivateKey(pem) : null
  const algorithm = hashOf(publicKey)
  return {
    hash: (previous, text, encoding) => digest(createHash('sha256'), previous, text, encoding),
    sign: (text) => {
      if (privateKey === null) throw new Error('a public key can not sign')
      return sign(algorithm, Buffer.from(text), privateKey).toString('base64url')
    },
    verify: (text, given) => {
      const bytes = Buffer.from(given, 'base64url')
      // One form of a signature: base64 ignores the last bits of its last letter.
      return bytes.toString('base64url') === given && verify(algorithm, Buffer.from(text), publicKey, bytes)
    },
  }
}

/** Ed25519 and Ed448 have a hash of their own. */
function hashOf({ asymmetricKeyType }: KeyObject): string | null {
  return asymmetricKeyType?.startsWith('ed') ? null : 'sha256'
}

function digest(
  hash: Pick<Hmac, 'update' | 'digest'>,
  previous: string,
  text: readonly string[],
  encoding: 'utf8' | 'latin1',
): string {
  hash.update(previous)
  for (const part of text) hash.update(part, encoding)
  return hash.digest('base64url')
}

function equalTexts(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
