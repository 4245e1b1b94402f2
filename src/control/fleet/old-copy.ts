import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type ContentEntry, contentOf } from '#releases'
import type { FetchContents } from './content-store.ts'
import { type CopyRecord, decodeCopy } from './copied-release.ts'

const CONTENTS = '.contents'
const PACK = /^[0-9a-f]{16}\.pack$/
const PACK_START = 'gateway contents 1\n'.length
/** Bytes of the hash before each content of a pack, and of its length. */
const [HASH, LENGTH] = [32, 4]

/**
 * The copy of a release as it was before releases had folders of their own: its files beside `release.json`, and contents in files or
 * packs. The one of `next.json` was not served yet. Null without one.
 */
export async function oldCopy(root: string): Promise<{ record: CopyRecord; contents: FetchContents } | null> {
  const record = (await recordIn(root, 'release.json')) ?? (await recordIn(root, 'next.json'))
  return record && { record, contents: (entries) => contentsOf(root, record, entries) }
}

export async function removeOldCopy(root: string): Promise<void> {
  for (const name of ['next.json', 'release.json', '.candidate', CONTENTS, 'config', 'scripts'])
    await rm(join(root, name), { recursive: true, force: true })
}

async function recordIn(root: string, name: string): Promise<CopyRecord | null> {
  return readFile(join(root, name), 'utf8').then(decodeCopy, () => null)
}

/** Each content once, from wherever it is whole. */
async function* contentsOf(
  root: string,
  { release }: CopyRecord,
  entries: readonly ContentEntry[],
): ReturnType<FetchContents> {
  const wanted = new Set(entries.map(({ hash }) => hash))
  for await (const data of bytesIn(root, release.files.keys())) {
    const { hash } = contentOf(data)
    if (wanted.delete(hash)) yield { hash, data }
  }
}

async function* bytesIn(root: string, paths: Iterable<string>): AsyncGenerator<Buffer> {
  const names = await readdir(join(root, CONTENTS)).catch(() => [])
  for (const path of [...names.map((name) => `${CONTENTS}/${name}`), ...paths]) {
    const bytes = await readFile(join(root, path)).catch(() => Buffer.alloc(0))
    if (!PACK.test(path.slice(CONTENTS.length + 1))) yield bytes
    else
      for (let at = PACK_START; at + HASH + LENGTH <= bytes.length; ) {
        const from = at + HASH + LENGTH
        at = from + bytes.readUInt32BE(at + HASH)
        yield bytes.subarray(from, at)
      }
  }
}
