import { basename } from 'node:path'
import type { TopicFiles } from '../files/topic-files.ts'
import type { ChainState } from './chain.ts'
import { type ChainEnd, firstOfChain, lastOfChain } from './chain-end.ts'
import type { Finding } from './chain-findings.ts'
import { type ChainHead, HEAD, headText, parseHead, trustedHead } from './chain-head.ts'
import type { ChainSigner } from './chain-key.ts'
import type { ChainFormat, ParsedLine } from './chain-line.ts'

/** A trail of an earlier process, as another one finds it. */
interface Takeover {
  /** Null without one that can be trusted. */
  readonly head: ChainHead | null
  /** Where the chain can continue. */
  readonly states: readonly ChainState[]
  /** Number of the first line that retention has left. */
  readonly first: number
  readonly isNew: boolean
  /** What is wrong, with more for the log. */
  readonly findings: ReadonlyMap<Finding, object>
  /** The head that was rejected, as base64url, where it can be one of an older secret. */
  readonly rejected: string | null
}

/** Longer texts are no heads. */
const MAX_REJECTED = 2_048

/**
 * Compares a trail with its head. The head is there before the first line, and a file is on disk before a head that includes its
 * lines: whenever a process was killed, the head is not missing, and not ahead of the files.
 */
export async function takeOver(
  files: TopicFiles,
  end: ChainEnd,
  { format, signer }: { readonly format: ChainFormat; readonly signer: ChainSigner },
): Promise<Takeover> {
  const text = await headText(`${files.path}${HEAD}`)
  const read = text === null ? null : trustedHead(text, basename(files.path), [signer])
  const head = typeof read === 'string' ? null : read
  const last = end.last ?? (await lastRotated(files, format))
  const findings = new Map<Finding, object>()
  if (typeof read === 'string') findings.set('head-rejected', { reason: read })
  else if (head === null && last !== null) findings.set('head-missing', {})
  const reached = last?.number ?? (head?.first ?? 1) - 1
  if (head !== null && reached < head.number) findings.set('end-missing', { lines: head.number - reached })
  if (end.isForeign) findings.set('text-added', {})
  return {
    head,
    states: [head, last].filter((state) => state !== null),
    first: head?.first ?? (await firstLeft(files, format, text)),
    isNew: text === null && last === null,
    findings,
    rejected: typeof read === 'string' && text !== null ? possibleHead(text, basename(files.path)) : null,
  }
}

function possibleHead(text: string, file: string): string | null {
  const head = text.length > MAX_REJECTED ? undefined : parseHead(text)?.head
  if (head === undefined || (head.file ?? file) !== file) return null
  return Buffer.from(text, 'latin1').toString('base64url')
}

/** Without a head that can be trusted. The head of an older secret says it; a verification with that secret confirms this. */
async function firstLeft(files: TopicFiles, format: ChainFormat, text: string | null): Promise<number> {
  const said = text === null ? undefined : parseHead(text)?.head.first
  if (said !== undefined && Number.isSafeInteger(said) && said > 0) return said
  for (const path of [...(await files.rotated()).map((rotated) => rotated.path), files.path]) {
    const first = await firstOfChain(path, format)
    if (first !== null) return first.number
  }
  return 1
}

/** The last line of the newest rotated file that has lines of the chain. */
async function lastRotated(files: TopicFiles, format: ChainFormat): Promise<ParsedLine | null> {
  for (const { path } of (await files.rotated()).toReversed()) {
    const last = await lastOfChain(path, format)
    if (last !== null) return last
  }
  return null
}
