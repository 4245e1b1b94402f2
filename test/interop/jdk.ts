import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
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

/** Compiles one source file with the jar files of a folder. */
export function compileJava(
  jdk: string,
  source: string,
  { jars, classes }: { readonly jars: string; readonly classes: string },
): void {
  mkdirSync(classes, { recursive: true })
  const args = ['-cp', join(jars, '*'), '-d', classes, source]
  const { status, error, stderr } = spawnSync(join(jdk, 'bin', 'javac'), args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${source} does not compile: ${error?.message ?? stderr}`)
}

function versionOf(home: string): number {
  const { stderr } = spawnSync(join(home, 'bin', 'java'), ['-version'], { encoding: 'utf8' })
  return Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0)
}
