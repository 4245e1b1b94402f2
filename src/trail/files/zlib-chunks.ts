import { once } from 'node:events'
import type { Gunzip, Gzip } from 'node:zlib'

/** Compresses or decompresses chunks. A consumer may stop at any time: the source is finished before this ends. */
export async function* zlibChunks(source: AsyncGenerator<Buffer>, zlib: Gzip | Gunzip): AsyncGenerator<Buffer> {
  const stop = new AbortController()
  const feeding = feed(source, zlib, stop.signal)
  try {
    for await (const chunk of zlib) yield chunk as Buffer
  } finally {
    stop.abort()
    zlib.destroy()
    await feeding
  }
}

async function feed(source: AsyncGenerator<Buffer>, zlib: Gzip | Gunzip, signal: AbortSignal): Promise<void> {
  try {
    for await (const chunk of source) {
      if (signal.aborted) return
      if (!zlib.write(chunk)) await once(zlib, 'drain', { signal })
    }
    zlib.end()
  } catch (error) {
    if (!signal.aborted) zlib.destroy(error as Error)
  }
}
