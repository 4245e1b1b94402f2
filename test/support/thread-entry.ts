import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const { TEST_THREADS } = process.env

/** The module to start threads of tests with: a bundle of it in a run of the whole suite (scripts/test-bundle.ts). */
export function threadEntry(source: string): URL {
  if (TEST_THREADS === undefined) return new URL(source)
  return pathToFileURL(join(TEST_THREADS, `${basename(source, '.ts')}.mjs`))
}
