// Artefacts from a Maven repository, for suites that run a real peer in a JVM.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
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

/** Fetches an archive (`zip`, `war`) once, unpacks it once, and returns the folder. */
export function fetchUnpacked(artifact: string, jdk: string): string {
  const archive = fetchArtifact(artifact)
  const unpacked = archive.replace(/\.\w+$/, '')
  if (existsSync(unpacked)) return unpacked
  const aside = `${unpacked}.unpacking`
  rmSync(aside, { recursive: true, force: true })
  mkdirSync(aside, { recursive: true })
  // The JDK reads zip files; `unzip` may be missing.
  const { status, error, stderr } = spawnSync(join(jdk, 'bin', 'jar'), ['xf', archive], {
    cwd: aside,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${archive} can not be unpacked: ${error?.message ?? stderr}`)
  renameSync(aside, unpacked)
  return unpacked
}

function fetch(artifact: string, file: string): void {
  console.log(`fetching ${artifact}`)
  const args = ['-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`]
  const { status, error, stdout } = spawnSync('mvn', args, { encoding: 'utf8', timeout: 300_000 })
  if (error !== undefined) throw new Error(`mvn can not be run: ${error.message}`)
  if (status !== 0 || !existsSync(file)) throw new Error(`${artifact} could not be fetched:\n${stdout.slice(-2000)}`)
}
