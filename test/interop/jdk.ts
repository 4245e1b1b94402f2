import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const installed = '/usr/lib/jvm'

/** The home of a JDK of at least this version, and at most `newest`: that of JAVA_HOME, else one of the system. */
export function findJdk(version: number, newest = Number.POSITIVE_INFINITY): string {
  const system = existsSync(installed) ? readdirSync(installed).map((name) => join(installed, name)) : []
  const candidates = [process.env['JAVA_HOME'] ?? '', ...system].filter((home) => home !== '')
  const found = candidates.find((home) => versionOf(home) >= version && versionOf(home) <= newest)
  if (found !== undefined) return found
  throw new Error(
    `no JDK of version ${version} ${newest === Number.POSITIVE_INFINITY ? 'or newer' : `to ${newest}`} in JAVA_HOME or below ${installed}`,
  )
}

function versionOf(home: string): number {
  const { stderr } = spawnSync(join(home, 'bin', 'java'), ['-version'], { encoding: 'utf8' })
  return Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0)
}
