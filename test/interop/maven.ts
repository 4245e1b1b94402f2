// Artefacts from a Maven repository, for suites that run a real peer in a JVM.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Git ignores it; what is there is not fetched again. */
export const CACHE = join(import.meta.dirname, '..', '..', '.cache')
const folder = join(CACHE, 'maven')

/** Fetches `group:name:version` artefacts once, and returns their jar files. */
export function fetchJars(...artifacts: readonly string[]): string[] {
  return artifacts.map(fetchArtifact)
}

/** Fetches `group:name:version[:type]` once, and returns the file. */
export function fetchArtifact(artifact: string): string {
  mkdirSync(folder, { recursive: true })
  const [, name, version, type = 'jar'] = artifact.split(':')
  const file = join(folder, `${name}-${version}.${type}`)
  if (!existsSync(file)) fetch(artifact, file)
  return file
}

function fetch(artifact: string, file: string): void {
  console.log(`fetching ${artifact}`)
  const args = ['-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`]
  const { status, error, stdout } = spawnSync('mvn', args, { encoding: 'utf8', timeout: 300_000 })
  if (error !== undefined) throw new Error(`mvn can not be run: ${error.message}`)
  if (status !== 0 || !existsSync(file)) throw new Error(`${artifact} could not be fetched:\n${stdout.slice(-2000)}`)
}
