import { pbkdf2Sync } from 'node:crypto'
import type { Der } from './der.ts'
import { corrupt, unsupported } from './keystore-error.ts'
import { type Budget, checkLimit, limits } from './limits.ts'

const PBKDF2 = '1.2.840.113549.1.5.12'
const SCRYPT = '1.3.6.1.4.1.11591.4.11'

/** HMAC by object identifier (RFC 8018 appendix B.1), with the bytes of its hash. */
export const hmacs: ReadonlyMap<string, { readonly name: string; readonly size: number }> = new Map([
  ['1.2.840.113549.2.7', { name: 'sha1', size: 20 }],
  ['1.2.840.113549.2.8', { name: 'sha224', size: 28 }],
  ['1.2.840.113549.2.9', { name: 'sha256', size: 32 }],
  ['1.2.840.113549.2.10', { name: 'sha384', size: 48 }],
  ['1.2.840.113549.2.11', { name: 'sha512', size: 64 }],
])

/** PBKDF2 with the parameters of a file (RFC 8018 appendix A.2). */
interface Pbkdf2 {
  /** The key length in the file; null without one. */
  readonly keyLength: number | null
  derive(password: Buffer, length: number, budget: Budget): Buffer
}

/** Reads the AlgorithmIdentifier of a key derivation function, which must be PBKDF2. */
export function readPbkdf2(algorithm: Der): Pbkdf2 {
  const [id, parameters] = algorithm.sequence('key derivation', 1, 2)
  const name = id!.oid('key derivation')
  if (name === SCRYPT) throw unsupported('keys derived by scrypt; use PBKDF2')
  if (name !== PBKDF2) throw unsupported(`key derivation ${name}; use PBKDF2`)
  if (parameters === undefined) throw corrupt('PBKDF2: parameters are missing')
  const [salt, iterations, ...rest] = parameters.sequence('PBKDF2 parameters', 2, 4)
  if (salt!.isSequence) throw unsupported('PBKDF2 with a salt that is not in the file')
  const saltBytes = readSalt(salt!)
  const rounds = readIterations(iterations!)
  const keyLength = rest[0]?.isInteger ? rest.shift()!.count('PBKDF2 key length') : null
  const prf = readHmac(rest.shift())
  if (rest.length > 0) throw corrupt('PBKDF2: unknown parameters')
  return {
    keyLength,
    derive(password, length, budget) {
      budget.spendNative(rounds * Math.ceil(length / prf.size))
      return pbkdf2Sync(password, saltBytes, rounds, length, prf.name)
    },
  }
}

/** A salt of bounded length. */
export function readSalt(salt: Der): Buffer {
  const bytes = salt.octets('salt')
  checkLimit('bytes of salt', bytes.length, limits.saltBytes)
  return bytes
}

/** An iteration count: at least 1, at most the limit of a file. */
export function readIterations(iterations: Der): number {
  const count = iterations.count('iterations')
  if (count === 0) throw corrupt('iterations: expected at least 1, found 0')
  checkLimit('iterations', count, limits.work)
  return count
}

function readHmac(algorithm: Der | undefined): { readonly name: string; readonly size: number } {
  if (algorithm === undefined) return { name: 'sha1', size: 20 }
  const id = algorithm.sequence('PBKDF2 hash', 1, 2)[0]!.oid('PBKDF2 hash')
  const hmac = hmacs.get(id)
  if (hmac === undefined) throw unsupported(`PBKDF2 with ${id}; use HMAC with SHA-256`)
  return hmac
}
