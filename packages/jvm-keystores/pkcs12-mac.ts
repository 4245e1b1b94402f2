import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Der } from './der.ts'
import { corrupt, unsupported } from './keystore-error.ts'
import type { Budget } from './limits.ts'
import { hmacs, readIterations, readPbkdf2, readSalt } from './pbkdf2.ts'
import { derive, digests, purpose } from './pkcs12-kdf.ts'
import type { PasswordForm } from './pkcs12-password.ts'

const PBMAC1 = '1.2.840.113549.1.5.14'

/** RFC 9579 section 4: a shorter key could be guessed; a longer one overflowed a buffer of OpenSSL (CVE-2025-11187). */
const pbmac1KeyLength = { min: 20, max: 64 } as const

/** The integrity check of a PKCS #12 file: whether the content was written with the password. */
export type Mac = (content: Buffer, password: PasswordForm, budget: Budget) => boolean

/** Reads MacData (RFC 7292 section 4), with the key derivation of PKCS #12 or with PBMAC1 (RFC 9579). */
export function readMac(macData: Der): Mac {
  const [digestInfo, salt, iterations] = macData.sequence('MAC', 2, 3)
  const [algorithm, valuePart] = digestInfo!.sequence('MAC digest', 2, 2)
  const [id, parameters] = algorithm!.sequence('MAC algorithm', 1, 2)
  const name = id!.oid('MAC algorithm')
  const expected = valuePart!.octets('MAC digest')
  if (name === PBMAC1) return readPbmac1(parameters, expected)

  const digest = digests.get(name)
  if (digest === undefined) throw unsupported(`a MAC by hash ${name}; use SHA-256`)
  if (expected.length !== digest.size)
    throw corrupt(`a MAC of ${expected.length} bytes, ${digest.name} gives ${digest.size}`)
  const from = { digest, salt: readSalt(salt!), iterations: iterations === undefined ? 1 : readIterations(iterations) }
  return (content, { bmp }, budget) => {
    const key = derive({ ...from, purpose: purpose.mac, password: bmp, length: digest.size }, budget)
    return timingSafeEqual(createHmac(digest.name, key).update(content).digest(), expected)
  }
}

function readPbmac1(parameters: Der | undefined, expected: Buffer): Mac {
  if (parameters === undefined) throw corrupt('PBMAC1: parameters are missing')
  const [derivation, scheme] = parameters.sequence('PBMAC1 parameters', 2, 2)
  const id = scheme!.sequence('PBMAC1 hash', 1, 2)[0]!.oid('PBMAC1 hash')
  const hmac = hmacs.get(id)
  if (hmac === undefined) throw unsupported(`PBMAC1 with ${id}; use HMAC with SHA-256`)
  const pbkdf2 = readPbkdf2(derivation!)
  const { keyLength } = pbkdf2
  if (keyLength === null || keyLength < pbmac1KeyLength.min || keyLength > pbmac1KeyLength.max) {
    throw corrupt(`PBMAC1 key length: expected 20 to 64 bytes, found ${keyLength ?? 'none'}`)
  }
  if (expected.length !== hmac.size) throw corrupt(`a MAC of ${expected.length} bytes, ${hmac.name} gives ${hmac.size}`)
  return (content, { utf8 }, budget) => {
    const key = pbkdf2.derive(utf8, keyLength, budget)
    return timingSafeEqual(createHmac(hmac.name, key).update(content).digest(), expected)
  }
}
