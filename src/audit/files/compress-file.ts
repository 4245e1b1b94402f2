import { constants } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { createGzip } from 'node:zlib'
import { fileChunks } from './lines.ts'
import { syncDirectory } from './sync-directory.ts'
import { COMPRESSED, UNFINISHED } from './topic-files.ts'
import { zlibChunks } from './zlib-chunks.ts'

const { O_RDONLY, O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW = 0 } = constants

/**
 * Replaces a file by its compressed form. The compressed file gets its name when it is complete and on disk, and the original is removed
 * after that: a crash leaves a temporary file, or both files.
 */
export async function compressFile(path: string, mode: number, signal: AbortSignal): Promise<void> {
  const temporary = `${path}${UNFINISHED}`
  try {
    await writeCompressed(path, temporary, mode, signal)
    await rename(temporary, `${path}${COMPRESSED}`)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
  await syncDirectory(path)
  await rm(path, { force: true })
}

async function writeCompressed(path: string, temporary: string, mode: number, signal: AbortSignal): Promise<void> {
  const from = await open(path, O_RDONLY | O_NOFOLLOW)
  try {
    const to = await open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode)
    try {
      await to.chmod(mode)
      const { size } = await from.stat()
      for await (const chunk of zlibChunks(fileChunks(from, size), createGzip())) {
        signal.throwIfAborted()
        await to.writeFile(chunk)
      }
      await to.datasync()
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}
