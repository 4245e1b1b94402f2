// npm run interop -- NAME [words]: runs the suite of test/interop/NAME against its real peer.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './steps.ts'

/** Exports of `test/interop/NAME/main.ts`. `run` terminates its processes, and resolves to whether all tests passed. */
interface InteropSuite {
  readonly run: (words: readonly string[]) => Promise<boolean>
}

const folder = join(root, 'test', 'interop')
const suites = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'main.ts')))
const [name, ...words] = process.argv.slice(2)
if (name === undefined || !suites.includes(name)) {
  console.error(`usage: npm run interop -- NAME [words]; suites: ${suites.join(', ')}`)
  process.exit(64)
}

const started = performance.now()
const { run } = (await import(pathToFileURL(join(folder, name, 'main.ts')).href)) as InteropSuite
let passed = false
try {
  passed = await run(words)
} finally {
  console.log(`${name}: ${passed ? 'passed' : 'FAILED'} in ${((performance.now() - started) / 1000).toFixed(1)} s`)
}
process.exitCode = passed ? 0 : 1
