import { createHash, timingSafeEqual } from 'node:crypto'

/** Whether two secrets are the same, in a time that depends on neither their content nor where they differ. */
export function sameSecret(expected: string, presented: string): boolean {
  return timingSafeEqual(digest(expected), digest(presented))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest()
}
