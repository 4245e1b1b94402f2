// Bundles tests and the threads that they start: to load a thousand modules takes most of the CPU time of a gateway's start.
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import packageJson from '../package.json' with { type: 'json' }
import { root } from './steps.ts'

/** Packages that each unit loads; the others stay where they are. */
const BUNDLED = ['jose', 'oauth4webapi', '@cfworker/json-schema']
const EXTERNAL = Object.keys({ ...packageJson.dependencies, ...packageJson.devDependencies }).filter(
  (name) => !BUNDLED.includes(name),
)

/** CommonJS packages require modules of Node. */
const REQUIRE = `import { createRequire as createBundleRequire } from 'node:module'
const require = createBundleRequire(import.meta.url)`

/** Modules find files of the repository by `import.meta`, which in a bundle is that of the source file too. */
const sourceLocations: Plugin = {
  name: 'source locations',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8')
        .replaceAll(/\bimport\.meta\.url\b/g, JSON.stringify(pathToFileURL(path).href))
        .replaceAll(/\bimport\.meta\.dirname\b/g, JSON.stringify(dirname(path)))
        .replaceAll(/\bimport\.meta\.filename\b/g, JSON.stringify(path)),
    }))
  },
}

/** Bundles modules into a directory; returns their bundles, in the same order. */
export async function bundle(entries: readonly string[], directory: string): Promise<string[]> {
  const names = entries.map((entry) => basename(entry, '.ts'))
  await build({
    absWorkingDir: root,
    entryPoints: entries.map((entry, n) => ({ in: entry, out: names[n] as string })),
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    external: EXTERNAL,
    banner: { js: REQUIRE },
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [sourceLocations],
  })
  return names.map((name) => join(directory, `${name}.mjs`))
}
