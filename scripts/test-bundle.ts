// Bundles tests, the threads that they start, and the gateway of tests that run it in a separate process.
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundleModules } from './bundle.ts'
import { bundleGateway } from './gateway-bundle.ts'
import { root } from './steps.ts'

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

/** A directory like that of the installed package: its modules are bundled, all else is that of the repository. */
export async function bundleInstallation(directory: string): Promise<void> {
  mkdirSync(directory)
  const others = readdirSync(root).filter((name) => !['src', 'packages', 'dist'].includes(name))
  for (const name of others) symlinkSync(join(root, name), join(directory, name))
  await bundleGateway(join(directory, 'dist'))
}
