// npm run generate: writes schemas/, docs/reference/, the manual page and the generated pages of docs/guide. With `-- --check` it only compares.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CATALOGUE } from '#catalogue'
import { loadTypes } from '#schema'
import { ERRORS_PAGE, errorsPage, LOG_EVENTS_PAGE, logEventsPage } from './code-pages.ts'
import { COMMAND_LINE_PAGE, commandLinePage } from './command-line-page.ts'
import { generatedFiles, presentFiles } from './generated-files.ts'
import { GROOVY_PAGE, groovyPage } from './groovy-page.ts'
import { MAN_PAGE, manPage } from './man-page.ts'
import { METRICS_PAGE, metricsPage } from './metrics-page.ts'
import { root } from './steps.ts'

const [option, ...rest] = process.argv.slice(2)
if ((option !== undefined && option !== '--check') || rest.length > 0) {
  console.error('expected no option or --check')
  process.exit(64)
}

const files = generatedFiles(await loadTypes(CATALOGUE))
  .set(COMMAND_LINE_PAGE, await commandLinePage())
  .set(MAN_PAGE, await manPage())
  .set(GROOVY_PAGE, await groovyPage())
  .set(ERRORS_PAGE, errorsPage())
  .set(LOG_EVENTS_PAGE, await logEventsPage())
  .set(METRICS_PAGE, metricsPage())
const changed = [...files].filter(([path, content]) => contentOf(path) !== content)
const left = presentFiles().filter((path) => !files.has(path))

if (option === '--check') {
  for (const [path] of changed) console.error(`${path} is not up to date`)
  for (const path of left) console.error(`${path} is left over`)
  if (changed.length + left.length > 0) {
    console.error('run: npm run generate')
    process.exitCode = 1
  }
} else {
  for (const [path, content] of changed) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  for (const path of left) rmSync(join(root, path))
  console.log(`${files.size} files: ${changed.length} written, ${left.length} removed`)
}

function contentOf(path: string): string | null {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
