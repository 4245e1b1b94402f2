// Bundles modules of the sources by esbuild: to find, read and strip a thousand files takes most of the CPU time of a start.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Metafile, type Plugin } from 'esbuild'
import packageJson from '../package.json' with { type: 'json' }
import { root } from './steps.ts'

/** Packages that each unit loads. The others are loaded on demand, from `node_modules`. */
const BUNDLED = ['jose', 'oauth4webapi', '@cfworker/json-schema', 'ws']
const EXTERNAL = Object.keys({ ...packageJson.dependencies, ...packageJson.devDependencies }).filter(
  (name) => !BUNDLED.includes(name),
)

/** CommonJS packages require modules of Node. */
const REQUIRE = `import { createRequire as createBundleRequire } from 'node:module'
const require = createBundleRequire(import.meta.url)`

/** Input of a bundle. */
interface BundleInput {
  /** Paths of modules by the name of their bundle, without an ending. */
  readonly entries: Readonly<Record<string, string>>
  readonly directory: string
  readonly ending: '.js' | '.mjs'
  /** Expressions for the location of a source file, in place of `import.meta`. */
  readonly location: (path: string) => { readonly url: string; readonly dirname: string; readonly filename: string }
  /** Modules that each entry imports first. */
  readonly first?: readonly string[]
  readonly define?: Readonly<Record<string, string>>
  readonly plugins?: readonly Plugin[]
}

/** Bundles modules, with chunks for the parts that they share or import on demand. */
export async function bundleModules(input: BundleInput): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { ...input.entries },
    outdir: input.directory,
    outExtension: { '.js': input.ending },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    external: EXTERNAL,
    banner: { js: REQUIRE },
    define: { ...input.define },
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
    plugins: [sourceLocations(input), ...(input.plugins ?? [])],
  })
  return metafile
}

/** Modules find files beside them by `import.meta`, which in a bundle stands for the location of the source file. */
function sourceLocations({ entries, ending, location, first = [] }: BundleInput): Plugin {
  const names = new Map(Object.entries(entries).map(([name, path]) => [resolve(root, path), name]))
  const imports = first.map((path) => `import ${JSON.stringify(join(root, path))};`).join('')
  return {
    name: 'source locations',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const { url, dirname, filename } = location(path)
        const text = readFileSync(path, 'utf8')
          .replaceAll(/\bnew URL\('([^']+\.ts)', import\.meta\.url\)/g, (whole, target: string) => {
            const name = names.get(fileURLToPath(new URL(target, pathToFileURL(path))))
            return name === undefined ? whole : `new URL('./${name}${ending}', import.meta['url'])`
          })
          .replaceAll(/\bimport\.meta\.url\b/g, url)
          .replaceAll(/\bimport\.meta\.dirname\b/g, dirname)
          .replaceAll(/\bimport\.meta\.filename\b/g, filename)
        return { loader: 'ts', contents: names.has(path) ? imports + text : text }
      })
    },
  }
}
