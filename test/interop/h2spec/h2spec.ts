// h2spec, the conformance tests of HTTP/2, built from the modules of the Go proxy.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CACHE } from '../maven.ts'

const VERSION = 'v2.2.1+incompatible'
const HOME = join(CACHE, `h2spec-${VERSION}`)
/** Seconds that h2spec waits for each expected frame. */
const FRAME_TIMEOUT = '1'

/** Why it can not be built here, or false. */
export const goMissing: string | false =
  spawnSync('go', ['version']).status === 0 ? false : 'go is not on the PATH; h2spec can not be built'

/** A server of HTTP/2 under test. */
export interface Target {
  readonly port: number
  readonly isSecure: boolean
}

/** Builds the program once. */
export function buildH2spec(): void {
  if (existsSync(join(HOME, 'h2spec'))) return
  const aside = `${HOME}.building`
  rmSync(aside, { recursive: true, force: true })
  const { status, error, stderr } = spawnSync('go', ['install', `github.com/summerwind/h2spec/cmd/h2spec@${VERSION}`], {
    encoding: 'utf8',
    env: { ...process.env, GOBIN: aside },
    timeout: 600_000,
  })
  if (status !== 0) throw new Error(`go install: ${error?.message ?? stderr.slice(-3_000)}`)
  renameSync(aside, HOME)
}

/** Runs all cases once; returns whether each passed, by section and title. Skipped cases have passed. */
export async function runH2spec({ port, isSecure }: Target): Promise<Map<string, boolean>> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-h2spec-'))
  const report = join(folder, 'report.xml')
  try {
    const args = ['-h', '127.0.0.1', '-p', String(port), '-o', FRAME_TIMEOUT, '-j', report]
    const child = spawn(join(HOME, 'h2spec'), isSecure ? [...args, '-t', '-k'] : args, { stdio: 'ignore' })
    await once(child, 'close')
    return casesOf(readFileSync(report, 'latin1'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const CASE = /<testcase package="([^"]*)" classname="([^"]*)"[^>]*>([\s\S]*?)<\/testcase>/g

function casesOf(report: string): Map<string, boolean> {
  const cases = new Map<string, boolean>()
  for (const [, section, title, content = ''] of report.matchAll(CASE)) {
    cases.set(`${section} ${title}`, !content.includes('<error>') && !content.includes('<failure'))
  }
  if (cases.size < 100) throw new Error(`h2spec: expected over 100 cases in its report, got ${cases.size}`)
  return cases
}
