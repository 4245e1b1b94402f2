// Preloaded into each thread of tests: stack traces name lines of the sources, by maps that are read with the first
// trace. `--enable-source-maps` reads all maps at each start of a thread, a sixth of the CPU time of tests that start many.
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

const bundledPosition = /(file:\/\/[^\s()]+\.mjs):(\d+):(\d+)/

/** Maps by the URL of the bundle; null where the file can not be read. */
const maps = new Map<string, SourceMap | null>()

if (!isMainThread) {
  process.setSourceMapsEnabled(false)
  Error.prepareStackTrace = (error, frames) =>
    [String(error), ...frames.map((frame) => `    at ${withSource(String(frame))}`)].join('\n')
}

function withSource(frame: string): string {
  const [position, url, line, column] = bundledPosition.exec(frame) ?? []
  if (position === undefined || url === undefined) return frame
  const found = maps.getOrInsertComputed(url, read)?.findEntry(Number(line) - 1, Number(column) - 1)
  if (found === undefined || !('originalSource' in found)) return frame
  const source = new URL(found.originalSource, url).href
  return frame.replace(position, `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`)
}

function read(url: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, 'utf8')))
  } catch {
    return null
  }
}
