import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { COMPRESSED } from '#trail'

/** Files without those whose compressed form is there too: a crash leaves both, and so does a compression before its end. */
export async function withoutRepeats(files: readonly string[]): Promise<readonly string[]> {
  const found = new Set(files.map((path) => resolve(path)))
  const kept: string[] = []
  for (const named of files) {
    const path = resolve(named)
    const content = found.has(`${path}${COMPRESSED}`) ? await contentDigest(path) : null
    if (content === null || content !== (await contentDigest(`${path}${COMPRESSED}`))) kept.push(named)
  }
  return kept
}

/** Of the uncompressed content; null where it can not be read to its end, which the verification reports. */
async function contentDigest(path: string): Promise<string | null> {
  const hash = createHash('sha256')
  const add = async (content: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of content) hash.update(chunk)
  }
  const file = createReadStream(path)
  try {
    await (path.endsWith(COMPRESSED) ? pipeline(file, createGunzip(), add) : pipeline(file, add))
    return hash.digest('hex')
  } catch {
    return null
  }
}
