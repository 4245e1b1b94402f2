import { createHash, createHmac, type KeyObject, randomBytes, type X509Certificate } from 'node:crypto'
import { bmp, integer, nullValue, octets, oid, sequence, set, tagged } from './der-writer.ts'
import { Budget } from './limits.ts'
import { derive, digests, purpose } from './pkcs12-kdf.ts'

const SHA256 = '2.16.840.1.101.3.4.2.1'
const DATA = '1.2.840.113549.1.7.1'
const SHROUDED_KEY = '1.2.840.113549.1.12.10.1.2'
const CERTIFICATE_BAG = '1.2.840.113549.1.12.10.1.3'
const X509 = '1.2.840.113549.1.9.22.1'
const FRIENDLY_NAME = '1.2.840.113549.1.9.20'
const LOCAL_KEY_ID = '1.2.840.113549.1.9.21'
const ITERATIONS = 10_000

/** A key with its certificate chain, to be written under an alias. */
interface KeyToWrite {
  readonly alias: string
  readonly key: KeyObject
  readonly chain: readonly X509Certificate[]
}

/** A PKCS #12 keystore (RFC 7292) with one encrypted key and a MAC. */
export function writePkcs12({ alias, key, chain }: KeyToWrite, password: string): Buffer {
  const id = createHash('sha256')
    .update(chain[0]?.raw ?? '')
    .digest()
  const own = [sequence(oid(FRIENDLY_NAME), set(bmp(alias))), sequence(oid(LOCAL_KEY_ID), set(octets(id)))]
  // PBES2 with PBKDF2 and AES, by OpenSSL.
  const shrouded = key.export({ type: 'pkcs8', format: 'der', cipher: 'aes-256-cbc', passphrase: password })
  const keyBag = sequence(oid(SHROUDED_KEY), tagged(0, shrouded), set(...own))
  const certificates = chain.map((certificate, at) =>
    sequence(
      oid(CERTIFICATE_BAG),
      tagged(0, sequence(oid(X509), tagged(0, octets(certificate.raw)))),
      ...(at === 0 ? [set(...own)] : []),
    ),
  )
  const content = sequence(data(sequence(...certificates)), data(sequence(keyBag)))
  return sequence(integer(3), data(content), mac(content, password))
}

function data(content: Buffer): Buffer {
  return sequence(oid(DATA), tagged(0, octets(content)))
}

function mac(content: Buffer, password: string): Buffer {
  const digest = digests.get(SHA256)!
  const salt = randomBytes(16)
  const bytes = Buffer.from(`${password}\0`, 'utf16le').swap16()
  const derivation = {
    digest,
    purpose: purpose.mac,
    password: bytes,
    salt,
    iterations: ITERATIONS,
    length: digest.size,
  }
  const code = createHmac(digest.name, derive(derivation, new Budget())).update(content).digest()
  return sequence(sequence(sequence(oid(SHA256), nullValue()), octets(code)), octets(salt), integer(ITERATIONS))
}
