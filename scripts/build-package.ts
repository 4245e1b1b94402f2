// Builds the files that `npm pack` adds to the sources: JavaScript in `dist`, since Node strips no types below node_modules, and
// the licences of the bundled packages. The pages of the Studio are built before, by scripts/build-studio.ts.
import { execFileSync } from 'node:child_process'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { bundleModules } from './bundle.ts'
import { root } from './steps.ts'
import { thirdPartyNotices } from './third-party-notices.ts'

const built = join(root, 'dist')
/** Another process may run the built files: they are replaced when the new ones are complete. */
const fresh = `${built}-${process.pid}`

const metafile = await bundleModules({
  entries: { main: 'src/main.ts', unit: 'src/unit/thread.ts' },
  directory: fresh,
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
  define: { 'process.env.GATEWAY_BUILD_REVISION': JSON.stringify(revision()) },
})
rmSync(built, { recursive: true, force: true })
renameSync(fresh, built)
writeFileSync(join(root, 'THIRD-PARTY-NOTICES.md'), thirdPartyNotices(Object.keys(metafile.inputs)))

/** The commit; `unknown` without Git. */
function revision(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}
