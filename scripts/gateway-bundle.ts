// Bundles the gateway as JavaScript, since Node strips no types below node_modules.
import { execFileSync } from 'node:child_process'
import { dirname, join, relative } from 'node:path'
import type { Metafile } from 'esbuild'
import { builtinModules } from './builtin-modules.ts'
import { bundleModules } from './bundle.ts'
import { root } from './steps.ts'

/** Bundles the gateway into a directory that stands for `dist` of an installed package. */
export function bundleGateway(directory: string): Promise<Metafile> {
  return bundleModules({
    entries: { main: 'src/main.ts', unit: 'src/unit/thread.ts' },
    directory,
    ending: '.js',
    // All bundles are in one folder beside that of the sources.
    location: (path) => {
      const source = join('..', relative(root, path))
      return {
        url: `new URL(${JSON.stringify(source)}, import.meta.url).href`,
        dirname: `(import.meta.dirname + ${JSON.stringify(`/${dirname(source)}`)})`,
        filename: `(import.meta.dirname + ${JSON.stringify(`/${source}`)})`,
      }
    },
    first: ['src/source-positions.ts'],
    plugins: [builtinModules],
    define: { 'process.env.GATEWAY_BUILD_REVISION': JSON.stringify(revision()) },
  })
}

/** The commit; `unknown` without Git. */
function revision(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}
