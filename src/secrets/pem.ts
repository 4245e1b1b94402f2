import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'
import { KeyStoreError, openEncryptedKey } from '@identity-gateway/jvm-keystores'
import type { DecodedSecret } from '#contracts'
import { jwkThumbprint } from './jwk.ts'
import { certificatePurposes } from './key-usage.ts'

interface Block {
  readonly label: string
  readonly text: string
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]{1,40})-----[\s\S]*?-----END \1-----/g
const MOST_BLOCKS = 1_000

/**
 * Decodes PEM (RFC 7468): a private key with its certificates, a public key, or certificates. `passphrase` decrypts an
 * encrypted key. Errors contain nothing of the content.
 */
export function decodePem(content: Buffer, passphrase: Buffer | null): readonly DecodedSecret[] {
  const blocks = blocksOf(content)
  const privateKeys = blocks.filter(({ label }) => label.endsWith('PRIVATE KEY'))
  if (privateKeys.length > 1) throw new Error(`expected one private key in PEM, got ${privateKeys.length}`)
  const certificates = blocks.filter(({ label }) => /^(?:X509 |TRUSTED )?CERTIFICATE$/.test(label)).map(certificateOf)
  const [privateBlock] = privateKeys
  if (privateBlock !== undefined) return [withKey(privateKeyOf(privateBlock, passphrase), certificates)]
  if (certificates.length > 0) return trusted(certificates)
  const publicBlock = blocks.find(({ label }) => label.endsWith('PUBLIC KEY'))
  if (publicBlock === undefined) {
    throw new Error(`expected a key or a certificate in PEM, got ${blocks[0]?.label.toLowerCase() ?? 'none'}`)
  }
  const key = publicKeyOf(publicBlock)
  return [{ key, stableId: jwkThumbprint(key) }]
}

function blocksOf(content: Buffer): readonly Block[] {
  const blocks: Block[] = []
  for (const match of content.toString('latin1').matchAll(BLOCK)) {
    if (blocks.push({ label: match[1] as string, text: match[0] }) > MOST_BLOCKS) {
      throw new Error(`expected at most ${MOST_BLOCKS} blocks of PEM`)
    }
  }
  if (blocks.length === 0) throw new Error('expected PEM: a block from -----BEGIN to -----END')
  return blocks
}

/** Messages of OpenSSL are left out: they are codes and could leak key material. */
function privateKeyOf({ label, text }: Block, passphrase: Buffer | null): KeyObject {
  const isEncrypted = label.startsWith('ENCRYPTED') || /^Proc-Type: 4,ENCRYPTED/m.test(text)
  if (isEncrypted && passphrase === null) {
    throw new Error('the private key is encrypted; name its password with decryptionSecretId')
  }
  try {
    if (label === 'ENCRYPTED PRIVATE KEY') return encryptedKeyOf(text, passphrase as Buffer)
    return createPrivateKey({ key: text, format: 'pem', ...(isEncrypted && passphrase !== null && { passphrase }) })
  } catch (error) {
    if (error instanceof KeyStoreError && error.code !== 'GW_KEYSTORE_PASSWORD') {
      throw new Error(`the private key can not be decrypted: ${error.message}`)
    }
    throw new Error(
      isEncrypted
        ? 'the private key can not be decrypted: the password is wrong, or the key is damaged'
        : 'expected a private key in PEM, but it can not be read',
    )
  }
}

/** Not by OpenSSL, which does not limit the iterations. */
function encryptedKeyOf(text: string, passphrase: Buffer): KeyObject {
  const encoded = Buffer.from(text.replace(/-----[A-Z ]+-----/g, ''), 'base64')
  return createPrivateKey({ key: openEncryptedKey(encoded, passphrase.toString('utf8')), format: 'der', type: 'pkcs8' })
}

function publicKeyOf({ text }: Block): KeyObject {
  try {
    return createPublicKey({ key: text, format: 'pem' })
  } catch {
    throw new Error('expected a public key in PEM, but it can not be read')
  }
}

function certificateOf({ text }: Block, at: number): X509Certificate {
  try {
    return new X509Certificate(text)
  } catch {
    throw new Error(`expected a certificate in PEM, but number ${at + 1} can not be read`)
  }
}

/** Moves the certificate of the key to the first position. */
function withKey(key: KeyObject, certificates: readonly X509Certificate[]): DecodedSecret {
  const stableId = jwkThumbprint(key)
  if (certificates.length === 0) return { key, stableId }
  const own = certificates.find((certificate) => certificate.checkPrivateKey(key))
  if (own === undefined) throw new Error('none of the certificates belongs to the private key')
  const chain = [own, ...certificates.filter((certificate) => certificate !== own)]
  return { key, stableId, certificates: chain, purposes: certificatePurposes(own) }
}

/** A chain is one secret; a bundle of authorities is one secret for each certificate. */
function trusted(certificates: readonly X509Certificate[]): readonly DecodedSecret[] {
  const isChain = certificates.every((each, at) => {
    const issuer = certificates[at + 1]
    return issuer === undefined || (each.checkIssued(issuer) && !each.checkIssued(each))
  })
  return (isChain ? [certificates] : certificates.map((each) => [each])).map((chain) => {
    const [own] = chain as readonly [X509Certificate, ...X509Certificate[]]
    return { certificates: chain, stableId: jwkThumbprint(own.publicKey), purposes: certificatePurposes(own) }
  })
}
