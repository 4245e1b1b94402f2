import { createPublicKey, type KeyObject } from 'node:crypto'

/** RFC 7518 sections 3.3, 3.5 and 4.2. */
const SHORTEST_MODULUS = 2048

const SMALL_PRIMES = [
  3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113,
  127, 131, 137, 139, 149, 151, 157, 163, 167,
]

/** Why an RSA key is too weak; null where it may be used. */
export function rsaWeakness(key: KeyObject): string | null {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (modulusLength < SHORTEST_MODULUS)
    return `an RSA key needs at least ${SHORTEST_MODULUS} bits, it has ${modulusLength}`
  if (publicExponent < 3n || publicExponent % 2n === 0n) return 'its public exponent is no usable one'
  return hasRocaFingerprint(modulus(key)) ? 'it was made by a faulty generator (ROCA, CVE-2017-15361)' : null
}

function modulus(key: KeyObject): bigint {
  const { n = '' } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' })
  return BigInt(`0x${Buffer.from(n, 'base64url').toString('hex')}`)
}

/**
 * Primes of that generator are powers of 65537 modulo many small primes, and so is their product. One in about 2^27 other
 * keys is.
 */
function hasRocaFingerprint(n: bigint): boolean {
  return SMALL_PRIMES.every((prime) => powersOf65537(prime).has(Number(n % BigInt(prime))))
}

function powersOf65537(prime: number): Set<number> {
  const powers = new Set<number>()
  for (let power = 1; !powers.has(power); power = (power * 65_537) % prime) powers.add(power)
  return powers
}
