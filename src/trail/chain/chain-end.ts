import type { FileTail } from '../files/append-file.ts'
import { readLines } from '../files/lines.ts'
import type { ChainSigner } from './chain-key.ts'
import { type ChainFormat, chainFormatOf, type ParsedLine } from './chain-line.ts'

/** End of a file of a chain. */
export interface ChainEnd {
  /** Last line; null where the last whole line of the file is not chained. */
  readonly last: ParsedLine | null
  /** Only the line end of the last line is missing. */
  readonly isComplete: boolean
  /** Text after the last line that no crash can leave. */
  readonly isForeign: boolean
}

export function chainEnd({ line, torn }: FileTail, format: ChainFormat, signer: ChainSigner): ChainEnd {
  const whole = line.length === 0 ? null : format.parse(line.toString('latin1'))
  if (whole === null || torn.length === 0) return { last: whole, isComplete: false, isForeign: false }
  const text = torn.toString('latin1')
  const unended = format.parse(text)
  if (unended !== null && signer.hash(whole.hash, unended.covered, 'latin1') === unended.hash) {
    return { last: unended, isComplete: true, isForeign: false }
  }
  return { last: whole, isComplete: false, isForeign: whole.record?.kind === 'close' && !isRecord(text, whole, format) }
}

/** After an orderly end a process writes a record first: a crash can truncate that only. Some file systems add zeros. */
function isRecord(torn: string, { number }: ParsedLine, format: ChainFormat): boolean {
  const text = torn.replace(/\0+$/, '')
  const { beforeHash } = format.record({ kind: 'resume', time: '', previous: '' }, number + 1)
  return text.startsWith(beforeHash) || beforeHash.startsWith(text)
}

/** A file of a chain begins with it: files of a time without tamper evidence, which may be large, are not read further. */
const MAX_OTHER_LINES = 100

/** First line of the chain in a file, with its format by the first line of the file; null where it has none. */
export async function firstOfChain(path: string, format: ChainFormat): Promise<ParsedLine | null> {
  for await (const line of chainedLines(path, format)) return line
  return null
}

/** Last line of the chain in a file, as far as that can be read; without a format, by the first line of the file alone. */
export async function lastOfChain(path: string, format: ChainFormat | null = null): Promise<ParsedLine | null> {
  let last: ParsedLine | null = null
  for await (const line of chainedLines(path, format)) last = line
  return last
}

async function* chainedLines(path: string, otherwise: ChainFormat | null): AsyncGenerator<ParsedLine> {
  let format: ChainFormat | null = null
  let isChained = false
  let others = 0
  try {
    for await (const lines of readLines(path)) {
      for (const { bytes } of lines) {
        const text = bytes.toString('latin1')
        format ??= chainFormatOf(text) ?? otherwise
        const parsed = format?.parse(text) ?? null
        isChained ||= parsed !== null
        if (parsed !== null) yield parsed
        else if (!isChained && ++others > MAX_OTHER_LINES) return
      }
    }
  } catch (error) {
    // A compressed file that is damaged is found by a verification, and does not keep lines from being written.
    if (!(error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw error
  }
}
