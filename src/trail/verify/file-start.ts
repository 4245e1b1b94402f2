import { type ChainFormat, chainFormatOf, type ParsedLine } from '../chain/chain-line.ts'
import { type FileLine, LineFile } from '../files/lines.ts'

/** Where the lines of a file begin in the chain. */
interface FileStart {
  readonly format: ChainFormat
  /** Number of the first line of the chain; infinite for a file that has none. */
  readonly first: number
  /** Hash of the line before it; null where the file does not begin with a record. */
  readonly previous: string | null
}

export function parse({ bytes, isTooLong }: FileLine, format: ChainFormat): ParsedLine | null {
  return isTooLong ? null : format.parse(bytes.toString('latin1'))
}

/** The first line of a file that is part of a chain; null for an empty file. */
export async function fileStart(file: LineFile): Promise<FileStart | null> {
  let format: ChainFormat | null = null
  let isEmpty = true
  try {
    for await (const lines of file.lines()) {
      for (const line of lines) {
        // The first line may be the one that was changed.
        format ??= chainFormatOf(line.bytes.toString('latin1'))
        isEmpty = false
        const parsed = format && parse(line, format)
        if (format !== null && parsed !== null)
          return { format, first: parsed.number, previous: parsed.record?.previous ?? null }
      }
    }
  } catch {
    // A compressed file that is truncated: its verification names the line.
    isEmpty = false
  }
  return isEmpty ? null : { format: format ?? UNKNOWN, first: Number.POSITIVE_INFINITY, previous: null }
}

/** The same for the file at a path; null also where that does not exist. */
export async function startAt(path: string): Promise<FileStart | null> {
  const file = await LineFile.open(path)
  try {
    return file === null ? null : await fileStart(file)
  } finally {
    await file?.close()
  }
}

/** For a file that is no trail: all of its lines are outside of the chain. */
const UNKNOWN: ChainFormat = {
  line: () => ({ beforeHash: '', afterHash: '', afterSignature: '' }),
  record: () => ({ beforeHash: '', afterHash: '', afterSignature: '' }),
  parse: () => null,
}
