// Artefacts from a Maven repository, for suites that run a real peer in a JVM.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Git ignores it; what is there is not fetched again. */
const cache = join(import.meta.dirname, '..', '..', '.cache', 'maven')

/** Fetches `group:name:version` artefacts once, and returns their jar files. */
export function fetchJars(...artifacts: readonly string[]): string[] {
  mkdirSync(cache, { recursive: true })
  return artifacts.map((artifact) => {
    const [, name, version] = artifact.split(':')
    const jar = join(cache, `${name}-${version}.jar`)
    if (!existsSync(jar)) fetchJar(artifact, jar)
    return jar
  })
}

function fetchJar(artifact: string, jar: string): void {
  console.log(`fetching ${artifact}`)
  const args = ['-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${cache}`]
  const { status, error, stdout } = spawnSync('mvn', args, { encoding: 'utf8', timeout: 300_000 })
  if (error !== undefined) throw new Error(`mvn can not be run: ${error.message}`)
  if (status !== 0 || !existsSync(jar)) throw new Error(`${artifact} could not be fetched:\n${stdout.slice(-2000)}`)
}
