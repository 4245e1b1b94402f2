import { readdir } from 'node:fs/promises'
import { removeUnfinishedWrites } from '#files'
import type { Logger } from '#logging'
import { EVENTS } from '../../log-events.ts'
import { readVersionHead, sequenceIn } from './version-file.ts'
import type { StoredVersion } from './version-index.ts'

/** Content of a folder of versions. */
interface ReadHistory {
  /** The oldest first. */
  readonly versions: readonly StoredVersion[]
  /** Names of versions beyond the wanted number, which were not read. */
  readonly surplus: readonly string[]
  /** The highest sequence number in a name, also of an unreadable file; the next version gets a higher one. */
  readonly lastSequence: number
}

const AT_ONCE = 16

/** Maximum number of unreadable files named in a warning. */
const NAMED = 5

/**
 * Reads the heads of the newest versions in a folder. Problems of the folder or its files are warnings: the gateway must
 * start without its history, too.
 */
export async function readHistory(directory: string, wanted: number, logger: Logger): Promise<ReadHistory> {
  removeUnfinishedWrites(directory)
  const found: { name: string; sequence: number }[] = []
  const strange: string[] = []
  for (const name of await namesIn(directory, logger)) {
    const sequence = sequenceIn(name)
    if (sequence === null) strange.push(`${name}: it is not named like a version`)
    else found.push({ name, sequence })
  }
  found.sort((a, b) => a.sequence - b.sequence || (a.name < b.name ? -1 : 1))
  const lastSequence = found.at(-1)?.sequence ?? 0
  const surplus = found.splice(0, Math.max(0, found.length - wanted)).map(({ name }) => name)
  const versions = new Map<string, StoredVersion>()
  const waiting = found.values()
  const readOn = async () => {
    for (const { name, sequence } of waiting) {
      try {
        versions.set(name, { head: await readVersionHead(directory, name), name, sequence, text: null })
      } catch (error) {
        strange.push(`${name}: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, readOn))
  if (strange.length > 0) {
    const fields = { directory, files: strange.length, first: strange.slice(0, NAMED) }
    logger.warn(fields, EVENTS.HISTORY_FILES_IGNORED)
  }
  return { versions: found.flatMap(({ name }) => versions.get(name) ?? []), surplus, lastSequence }
}

async function namesIn(directory: string, logger: Logger): Promise<readonly string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') logger.warn({ directory, errno: code }, EVENTS.HISTORY_UNREADABLE)
    return []
  }
}
