import { lineDigest } from './chain.ts'
import type { ChainEnd } from './chain-end.ts'

/** The first record of an opened file: it begins the file, or continues it. */
export interface Opening {
  /** Text outside of the chain that the record covers, with its line end. */
  readonly text: string
  readonly kind: 'begin' | 'resume'
  /** SHA-256 of the line before, where that is not chained. */
  readonly skipped?: string
}

/** How a file of this size and end is continued. */
export function openingOf(
  { size, torn, last, isComplete }: ChainEnd & { readonly size: number; readonly torn: Buffer },
  { header, lineEnd }: { readonly header: string; readonly lineEnd: string },
): Opening {
  if (isComplete) return { text: '\n', kind: 'resume' }
  if (torn.length > 0 && size > 0) return { text: '\n', kind: 'resume', skipped: lineDigest(torn) }
  if (last !== null) return { text: '', kind: 'resume' }
  if (header === '') return { text: '', kind: 'begin' }
  const line = `${header}${lineEnd}`
  return { text: size > 0 ? '' : line, kind: 'begin', skipped: lineDigest(Buffer.from(line.slice(0, -1))) }
}
