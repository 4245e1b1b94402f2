// Bundles tests and the threads that they start.
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundleModules } from './bundle.ts'

/** Bundles modules into a directory; returns their bundles, in the same order. */
export async function bundle(entries: readonly string[], directory: string): Promise<string[]> {
  const names = entries.map((entry) => basename(entry, '.ts'))
  await bundleModules({
    entries: Object.fromEntries(names.map((name, n) => [name, entries[n] as string])),
    directory,
    ending: '.mjs',
    location: (path) => ({
      url: JSON.stringify(pathToFileURL(path).href),
      dirname: JSON.stringify(dirname(path)),
      filename: JSON.stringify(path),
    }),
  })
  return names.map((name) => join(directory, `${name}.mjs`))
}
