import { overLimit } from './keystore-error.ts'

/**
 * Limits of one keystore, far above real ones: a hostile file gets GW_KEYSTORE_LIMIT instead of blocking or exhausting the
 * process.
 */
export const limits = {
  fileBytes: 16 * 1024 * 1024,
  entries: 10_000,
  certificates: 10_000,
  certificateBytes: 256 * 1024,
  chainLength: 100,
  /** A PKCS #8 RSA key of 16,384 bits takes 9.3 KiB. */
  privateKeyBytes: 12 * 1024,
  secretBytes: 64 * 1024,
  saltBytes: 1024,
  derDepth: 32,
  /** A trusted certificate of PKCS #12 has 22. */
  derNodes: 120_000,
  /** Units of key derivation per file, and per decrypted entry. */
  work: 5_000_000,
} as const

export function checkLimit(what: string, found: number, limit: number): void {
  if (found > limit) throw overLimit(`${what}: at most ${limit} are accepted, found ${found}`)
}

/** Sums the work and allocations of reading one file, so that many small items can not exceed the limits together. */
export class Budget {
  #work = 0
  #nodes = 0
  #certificates = 0

  /** Iterations of PBKDF2, which OpenSSL runs. */
  spendNative(iterations: number): void {
    this.#spend(iterations)
  }

  /** Hashes called from JavaScript: each takes about twice as long as an iteration of PBKDF2. */
  spendHashes(count: number): void {
    this.#spend(2 * count)
  }

  spendNodes(count: number): void {
    this.#nodes += count
    checkLimit('ASN.1 elements', this.#nodes, limits.derNodes)
  }

  spendCertificate(): void {
    this.#certificates += 1
    checkLimit('certificates', this.#certificates, limits.certificates)
  }

  #spend(units: number): void {
    this.#work += units
    if (this.#work > limits.work) {
      throw overLimit(`the iteration counts need ${this.#work} units of work, at most ${limits.work} are accepted`)
    }
  }
}
