// Builds the pages of the Studio where they are missing or older than their source: `node scripts/build-studio.ts`.
import { existsSync, globSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { root } from './steps.ts'

const studio = join(root, 'studio')
const built = join(studio, 'dist')
const page = join(built, 'index.html')

if (isOutdated()) {
  const start = performance.now()
  console.log('building the pages of the Studio')
  // Beside the old ones until they are whole: another process may serve them.
  const fresh = `${built}-${process.pid}`
  await build({ root: studio, configFile: join(studio, 'vite.config.ts'), logLevel: 'warn', build: { outDir: fresh } })
  rmSync(built, { recursive: true, force: true })
  renameSync(fresh, built)
  console.log(`built in ${((performance.now() - start) / 1000).toFixed(1)} s`)
}

function isOutdated(): boolean {
  if (!existsSync(page)) return true
  const since = statSync(page).mtimeMs
  // The pages share the lexer of expressions with the gateway.
  const sources = globSync(
    ['src/**/*', 'index.html', 'vite.config.ts', '../src/expression/*.ts', '../packages/json/*.ts'],
    {
      cwd: studio,
    },
  )
  return sources.some((file) => statSync(join(studio, file)).mtimeMs > since)
}
