// Runs the steps of a check sequentially, each with a heading and its duration.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root folder of the repository. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** One command of a check, with its heading. */
export interface Step {
  readonly title: string
  readonly command: readonly [string, ...string[]]
}

/** Type check, formatter and linter, which need no server and no port. */
export const staticSteps: readonly Step[] = [
  { title: 'format and lint', command: [bin('biome'), 'check', '.'] },
  { title: 'types', command: [bin('tsc'), '--noEmit', '-p', '.'] },
  { title: 'types of the Studio', command: [bin('tsc'), '--noEmit', '-p', 'studio'] },
]

/** The path of a command of the npm packages. */
export function bin(name: string): string {
  return join(root, 'node_modules', '.bin', name)
}

/** Runs every step, also after one failed, so that one run shows all failures; true if all passed. */
export function runSteps(steps: readonly Step[]): boolean {
  const failed = steps.filter((step) => !runStep(step))
  if (failed.length > 0) console.log(`\nfailed: ${failed.map((step) => step.title).join(', ')}`)
  return failed.length === 0
}

/** Time limit of a step: a server left open by a test keeps its process alive. */
const stepTimeout = 15 * 60_000

function runStep({ title, command }: Step): boolean {
  console.log(`\n== ${title}`)
  const [file, ...args] = command
  const start = performance.now()
  const { status, signal, error } = spawnSync(file, args, { cwd: root, stdio: 'inherit', timeout: stepTimeout })
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  if (error) console.log(`${file}: ${error.message}`)
  console.log(`-- ${title}: ${status === 0 ? 'passed' : `failed (${signal ?? `exit ${status}`})`} in ${seconds} s`)
  return status === 0
}
