import { hash } from 'node:crypto'
import type { Budget } from './limits.ts'

/** A hash function with the sizes of its output and block in bytes. */
interface Digest {
  readonly name: string
  readonly size: number
  readonly block: number
}

/** The hash functions of MACs and of PBKDF2 by object identifier. */
export const digests: ReadonlyMap<string, Digest> = new Map([
  ['1.3.14.3.2.26', { name: 'sha1', size: 20, block: 64 }],
  ['2.16.840.1.101.3.4.2.4', { name: 'sha224', size: 28, block: 64 }],
  ['2.16.840.1.101.3.4.2.1', { name: 'sha256', size: 32, block: 64 }],
  ['2.16.840.1.101.3.4.2.2', { name: 'sha384', size: 48, block: 128 }],
  ['2.16.840.1.101.3.4.2.3', { name: 'sha512', size: 64, block: 128 }],
])

/** SHA-1, which the older schemes of PKCS #12 always use. */
export const sha1 = digests.get('1.3.14.3.2.26')!

/** Purpose of derived bytes (RFC 7292 appendix B.3). */
export const purpose = { key: 1, iv: 2, mac: 3 } as const

interface Derivation {
  readonly digest: Digest
  readonly purpose: 1 | 2 | 3
  /** As BMPString with two trailing zero bytes, or empty. */
  readonly password: Buffer
  readonly salt: Buffer
  readonly iterations: number
  readonly length: number
}

/** The key derivation of PKCS #12 (RFC 7292 appendix B.2), which Node does not offer. */
export function derive({ digest, purpose, password, salt, iterations, length }: Derivation, budget: Budget): Buffer {
  const blocks = Math.ceil(length / digest.size)
  budget.spendHashes(blocks * iterations)
  const diversifier = Buffer.alloc(digest.block, purpose)
  const state = Buffer.concat([stretched(salt, digest.block), stretched(password, digest.block)])
  const derived = Buffer.alloc(blocks * digest.size)
  for (let block = 0; block < blocks; block++) {
    let chunk: Buffer = hash(digest.name, Buffer.concat([diversifier, state]), 'buffer')
    for (let round = 1; round < iterations; round++) chunk = hash(digest.name, chunk, 'buffer')
    chunk.copy(derived, block * digest.size)
    if (block + 1 < blocks)
      addToEachBlock(state, stretched(chunk, digest.block).subarray(0, digest.block), digest.block)
  }
  return derived.subarray(0, length)
}

/** Repeats bytes up to a multiple of the block size; empty stays empty. */
function stretched(bytes: Buffer, block: number): Buffer {
  const length = block * Math.ceil(bytes.length / block)
  return length === 0 ? Buffer.alloc(0) : Buffer.alloc(length, bytes)
}

/** Adds `addend` + 1 to each block of the state, as large numbers without the final carry. */
function addToEachBlock(state: Buffer, addend: Buffer, block: number): void {
  for (let start = 0; start < state.length; start += block) {
    let carry = 1
    for (let index = block - 1; index >= 0; index--) {
      const sum = state[start + index]! + addend[index]! + carry
      state[start + index] = sum & 0xff
      carry = sum >> 8
    }
  }
}
