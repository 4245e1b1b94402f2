import { overLimit } from './keystore-error.ts'

/**
 * What one keystore may ask for. Real ones stay far below; a hostile file meets a GW_KEYSTORE_LIMIT instead of hanging
 * or exhausting the process.
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
  /** Units of key derivation per file, and again per entry that is opened. */
  work: 5_000_000,
} as const

/** Refuses a number that is over its limit. */
export function checkLimit(what: string, found: number, limit: number): void {
  if (found > limit) throw overLimit(`${what}: at most ${limit} are accepted, found ${found}`)
}

/** Counts what one reading has used up, so that many small demands cannot add up to a large one. */
export class Budget {
  #work = 0
  #nodes = 0
  #certificates = 0

  /** Iterations of PBKDF2, which OpenSSL runs. */
  spendNative(iterations: number): void {
    this.#spend(iterations)
  }

  /** Single hashes called from JavaScript: each takes about twice as long as an iteration of PBKDF2. */
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
      throw overLimit(`the iteration counts ask for ${this.#work} units of work, at most ${limits.work} are accepted`)
    }
  }
}
