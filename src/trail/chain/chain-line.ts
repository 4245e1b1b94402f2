/** Reason of a signed record in a chain. */
export type RecordKind =
  /** First of a file. */
  | 'begin'
  /** First after the writer opened an existing file. */
  | 'resume'
  | 'checkpoint'
  /** Last of a file that is rotated. */
  | 'rotate'
  /** Last before the writer ended. */
  | 'close'

/** A signed line of the chain itself. */
export interface ChainRecord {
  readonly kind: RecordKind
  /** ISO 8601. */
  readonly time: string
  /** Hash of the line before, also where that is in another file. */
  readonly previous: string
  /** Name that a rotated file gets. */
  readonly file?: string
  /** SHA-256 of the line before where that is not chained: a header, or a line that a crash has truncated. */
  readonly skipped?: string
  /** What was wrong with the trail when the file was opened: names of findings, with commas. */
  readonly found?: string
  /** The head that was rejected then, as base64url: a verification with more keys may accept it. */
  readonly head?: string
  /** Set where the process that wrote the lines before opened its file again: nothing is missing between. */
  readonly isReopened?: boolean
}

/** A line to write, in parts: its hash and its signature are not covered by the hash. */
export interface LineParts {
  readonly beforeHash: string
  readonly afterHash: string
  /** Empty for lines without signature. */
  readonly afterSignature: string
}

/** A line that was read. */
export interface ParsedLine {
  readonly number: number
  readonly hash: string
  /** Null for a line of the writer. */
  readonly record: ChainRecord | null
  readonly signature: string
  /** All text but hash and signature. */
  readonly covered: readonly string[]
}

/** How a chain is written into lines: as members of JSON objects, or as two columns of CSV. */
export interface ChainFormat {
  line(text: string, number: number): LineParts
  record(record: ChainRecord, number: number): LineParts
  /** Null for a line that is not chained. */
  parse(line: string): ParsedLine | null
}

/** Hash before the first line. */
export const NO_HASH = Buffer.alloc(32).toString('base64url')

const HASH = '([\\w-]{43})'
const RECORD = '((?:begin|resume|checkpoint|rotate|close) [!-~ ]*?) signature=([\\w-]{1,2000})'
/** The chain of a line is at its end; a line can be long. */
const TAIL = 160

/** `"_chain":{"n":17,"hash":"..."}` as the last member; records have that member only. */
export const JSON_CHAIN: ChainFormat = (() => {
  const lineForm = new RegExp(`"_chain":\\{"n":(\\d{1,15}),"hash":"${HASH}"\\}\\}\r?$`)
  const recordForm = new RegExp(`^\\{"_chain":\\{"n":(\\d{1,15}),"hash":"${HASH}","record":"${RECORD}"\\}\\}\r?$`)
  return {
    line: (text, number) => ({
      beforeHash: `${text === '{}' ? '{' : `${text.slice(0, -1)},`}"_chain":{"n":${number},"hash":"`,
      afterHash: '"}}',
      afterSignature: '',
    }),
    record: (record, number) => ({
      beforeHash: `{"_chain":{"n":${number},"hash":"`,
      afterHash: `","record":"${recordText(record)} signature=`,
      afterSignature: '"}}',
    }),
    parse: (line) => parseLine(line, lineForm, recordForm),
  }
})()

/** Columns `HMAC` (`17.` and the hash) and `SIGNATURE` at the end; in rows of records the other columns are empty. */
export function csvChain(
  { quote: q, delimiter: d }: { quote: string; delimiter: string },
  header: string,
): ChainFormat {
  const [quote, delimiter] = [escaped(q), escaped(d)]
  const lineForm = new RegExp(`${delimiter}${quote}(\\d{1,15})\\.${HASH}${quote}${delimiter}\r?$`)
  const recordForm = new RegExp(
    `^${delimiter}*${quote}(\\d{1,15})\\.${HASH}${quote}${delimiter}${quote}${RECORD}${quote}\r?$`,
  )
  const empty = d.repeat(Math.max(header.split(`${q}${d}${q}`).length - 2, 0))
  return {
    line: (text, number) => ({ beforeHash: `${text}${d}${q}${number}.`, afterHash: `${q}${d}`, afterSignature: '' }),
    record: (record, number) => ({
      beforeHash: `${empty}${q}${number}.`,
      afterHash: `${q}${d}${q}${recordText(record)} signature=`,
      afterSignature: q,
    }),
    parse: (line) => parseLine(line, lineForm, recordForm),
  }
}

/** The format of a file by its first line; null where that is neither. */
export function chainFormatOf(firstLine: string): ChainFormat | null {
  if (firstLine.startsWith('{')) return JSON_CHAIN
  const csv = /(.)HMAC\1(.)\1SIGNATURE\1\r?$/.exec(firstLine)
  return csv === null ? null : csvChain({ quote: csv[1] as string, delimiter: csv[2] as string }, firstLine)
}

function parseLine(line: string, lineForm: RegExp, recordForm: RegExp): ParsedLine | null {
  const record = recordForm.exec(line)
  if (record !== null) {
    const [, number, hash, text, signature] = record as unknown as [string, string, string, string, string]
    const parsed = parseRecord(text)
    if (parsed === null) return null
    const hashAt = line.indexOf(hash)
    const signatureAt = line.lastIndexOf(`signature=${signature}`) + 'signature='.length
    const covered = [
      line.slice(0, hashAt),
      line.slice(hashAt + hash.length, signatureAt),
      line.slice(signatureAt + signature.length),
    ]
    return { number: Number(number), hash, record: parsed, signature, covered }
  }
  const tail = line.slice(-TAIL)
  const found = lineForm.exec(tail)
  if (found === null) return null
  const [text, number, hash] = found as unknown as [string, string, string]
  const hashAt = line.length - text.length + text.lastIndexOf(hash)
  const covered = [line.slice(0, hashAt), line.slice(hashAt + hash.length)]
  return { number: Number(number), hash, record: null, signature: '', covered }
}

function recordText({ kind, time, previous, file, skipped, found, head, isReopened }: ChainRecord): string {
  return [
    kind,
    `time=${time}`,
    `previous=${previous}`,
    ...(file === undefined ? [] : [`file=${encodeURIComponent(file)}`]),
    ...(skipped === undefined ? [] : [`skipped=${skipped}`]),
    ...(found === undefined ? [] : [`found=${found}`]),
    ...(head === undefined ? [] : [`head=${head}`]),
    ...(isReopened ? ['reopened=1'] : []),
  ].join(' ')
}

function parseRecord(text: string): ChainRecord | null {
  const [kind, ...members] = text.split(' ')
  const values = new Map(
    members.map((member) => [member.slice(0, member.indexOf('=')), member.slice(member.indexOf('=') + 1)]),
  )
  const [time, previous] = [values.get('time'), values.get('previous')]
  if (time === undefined || previous === undefined) return null
  const [file, skipped, found, head] = ['file', 'skipped', 'found', 'head'].map((name) => values.get(name))
  return {
    kind: kind as RecordKind,
    time,
    previous,
    ...(file !== undefined && { file: decoded(file) }),
    ...(skipped !== undefined && { skipped }),
    ...(found !== undefined && { found }),
    ...(head !== undefined && { head }),
    ...(values.has('reopened') && { isReopened: true }),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
