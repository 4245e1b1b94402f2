// Stack traces of built modules name lines of the sources. First module of the entry points in a package; never loaded in a
// checkout. `--enable-source-maps` of Node would read all maps at each start, a third of its CPU time; these are read with
// the first stack trace.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SourceMap } from './source-map.ts'

const directory = join(import.meta.dirname, '..', 'dist')
const prefix = `${pathToFileURL(directory).href}/`
const builtPosition = /([\w-]+\.js):(\d+):(\d+)/

/** Maps by file name; null where one can not be read. */
const maps = new Map<string, SourceMap | null>()

Error.prepareStackTrace = (error, frames) =>
  [messageOf(error), ...frames.map((frame) => `    at ${withSource(String(frame))}`)].join('\n')

function messageOf(error: unknown): string {
  try {
    return String(error)
  } catch {
    return '<error>'
  }
}

function withSource(frame: string): string {
  const start = frame.indexOf(prefix)
  if (start < 0) return frame
  const rest = frame.slice(start + prefix.length)
  const [matched = '', file = '', line, column] = builtPosition.exec(rest) ?? []
  const found = mapOf(file)?.find(Number(line), Number(column))
  if (found === undefined || found === null) return frame
  // Sources are named relative to the folder of bundles.
  const source = found.source.replace(/^\.\.\//, '')
  return `${frame.slice(0, start)}${source}:${found.line}:${found.column}${rest.slice(matched.length)}`
}

function mapOf(file: string): SourceMap | null {
  let map = maps.get(file)
  if (map === undefined) {
    map = read(file)
    maps.set(file, map)
  }
  return map
}

function read(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(join(directory, `${file}.map`), 'utf8')))
  } catch {
    return null
  }
}
