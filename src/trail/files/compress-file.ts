import { constants } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { createGzip } from 'node:zlib'
import { replaceFile } from '#files'
import { fileChunks } from './lines.ts'
import { COMPRESSED, UNFINISHED } from './topic-files.ts'
import { zlibChunks } from './zlib-chunks.ts'

const { O_RDONLY, O_NOFOLLOW = 0 } = constants

/**
 * Replaces a file by its compressed form. The compressed file gets its name when it is complete and on disk, and the original is removed
 * after that: a crash leaves a temporary file, or both files.
 */
export async function compressFile(path: string, mode: number, signal: AbortSignal): Promise<void> {
  const from = await open(path, O_RDONLY | O_NOFOLLOW)
  try {
    const { size } = await from.stat()
    const chunks = async function* () {
      for await (const chunk of zlibChunks(fileChunks(from, size), createGzip())) {
        signal.throwIfAborted()
        yield chunk
      }
    }
    const options = { mode, keepsMode: false, temporary: `${path}${UNFINISHED}` }
    await replaceFile(`${path}${COMPRESSED}`, (to) => to.writeFile(chunks()), options)
  } finally {
    await from.close()
  }
  await rm(path, { force: true })
}
