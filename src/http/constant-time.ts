import { hash, timingSafeEqual } from 'node:crypto'

/** Compares two secrets by their digests, in a time that depends neither on their content nor on a difference in length. */
export function equalsConstantTime(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))
}
