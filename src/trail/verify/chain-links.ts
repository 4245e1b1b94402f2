import { lastOfChain } from '../chain/chain-end.ts'
import { HEAD, readHead } from '../chain/chain-head.ts'
import { type ChainKey, chainSigner } from '../chain/chain-key.ts'
import type { ParsedLine } from '../chain/chain-line.ts'
import { COMPRESSED } from '../files/topic-files.ts'
import { startAt } from './file-start.ts'

/** A line that the files of a trail refer to. */
interface WantedLine {
  readonly number: number
  readonly hash: string
}

/**
 * Whether the chain of some files goes on in others: in the first line of one of them, or in their head where the last file was rotated
 * and no line has followed. Files of one trail need not have one name, since a prefix may be put before that of rotated files. The
 * older files are listed after the newer ones were read: the file that is continued is among them then, whatever is rotated meanwhile.
 */
export async function isContinued(
  older: () => readonly string[],
  newer: readonly string[],
  keys: readonly ChainKey[],
): Promise<boolean> {
  const wanted: WantedLine[] = []
  for (const path of newer) wanted.push(...(await linesBefore(path, keys)))
  const files = await byFirstLine(older())
  const ends = new Map<string, ParsedLine | null>()
  for (const { number, hash } of wanted) {
    const path = files.find(({ first }) => first <= number)?.path
    if (path === undefined) continue
    if (!ends.has(path)) ends.set(path, (await endOf(path)) ?? (await endOf(`${path}${COMPRESSED}`)))
    const end = ends.get(path)
    if (end?.number === number && end.hash === hash) return true
  }
  return false
}

/** Null also for a file that can not be read: its verification says so. */
function endOf(path: string): Promise<ParsedLine | null> {
  return lastOfChain(path).catch(() => null)
}

async function linesBefore(path: string, keys: readonly ChainKey[]): Promise<readonly WantedLine[]> {
  if (path.endsWith(HEAD)) {
    const head = await readHead(path, keys.map(chainSigner))
    return head === null || typeof head === 'string' ? [] : [head]
  }
  const start = await startAt(path)
  return start === null || start.previous === null ? [] : [{ number: start.first - 1, hash: start.previous }]
}

/** The newest first. */
async function byFirstLine(paths: readonly string[]): Promise<readonly { path: string; first: number }[]> {
  const files: { path: string; first: number }[] = []
  for (const path of paths) {
    const start = (await startAt(path)) ?? (await startAt(`${path}${COMPRESSED}`))
    if (start !== null && start.first !== Number.POSITIVE_INFINITY) files.push({ path, first: start.first })
  }
  return files.sort((a, b) => b.first - a.first)
}
