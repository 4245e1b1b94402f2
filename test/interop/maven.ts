// Artefacts from a Maven repository, for suites that run a real peer in a JVM.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Ignored by Git; files in it are not fetched again. */
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

/** The folder of jar files that `fetchWithDependencies` made, or will make, under this name. */
export function dependencyFolder(name: string): string {
  return join(folder, name)
}

/**
 * Fetches `group:name:version` artefacts with their runtime dependencies once, and returns the folder of the jar files. Versions of
 * dependencies are those of `managedBy`, a `group:name:version` of a pom, where it has them.
 */
export function fetchWithDependencies(
  name: string,
  artifacts: readonly string[],
  { managedBy }: { readonly managedBy?: string } = {},
): string {
  const jars = dependencyFolder(name)
  if (existsSync(jars)) return jars
  const aside = `${jars}.fetching`
  rmSync(aside, { recursive: true, force: true })
  mkdirSync(aside, { recursive: true })
  const managed = managedBy === undefined ? '' : dependencies([managedBy], '<type>pom</type><scope>import</scope>')
  const pom = join(aside, 'pom.xml')
  const project = `<modelVersion>4.0.0</modelVersion><groupId>interop</groupId><artifactId>${name}</artifactId><version>1</version>`
  const management = `<dependencyManagement>${managed}</dependencyManagement>`
  writeFileSync(pom, `<project>${project}${management}${dependencies(artifacts)}</project>`)
  console.log(`fetching ${artifacts.join(', ')} with dependencies`)
  // Artefacts of two groups may have the same name.
  const options = ['-DincludeScope=runtime', '-Dmdep.prependGroupId=true', `-DoutputDirectory=${aside}`]
  maven('-f', pom, 'dependency:copy-dependencies', ...options)
  renameSync(aside, jars)
  return jars
}

function dependencies(artifacts: readonly string[], fields = ''): string {
  const entries = artifacts.map((artifact) => {
    const [group, id, version] = artifact.split(':')
    return `<dependency><groupId>${group}</groupId><artifactId>${id}</artifactId><version>${version}</version>${fields}</dependency>`
  })
  return `<dependencies>${entries.join('')}</dependencies>`
}

function fetch(artifact: string, file: string): void {
  console.log(`fetching ${artifact}`)
  const output = maven('dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`)
  if (!existsSync(file)) throw new Error(`${artifact} could not be fetched:\n${output.slice(-2000)}`)
}

function maven(...args: readonly string[]): string {
  const { status, error, stdout } = spawnSync('mvn', ['-q', '-B', ...args], { encoding: 'utf8', timeout: 600_000 })
  if (error !== undefined) throw new Error(`mvn can not be run: ${error.message}`)
  if (status !== 0) throw new Error(`mvn ${args.join(' ')} failed:\n${stdout.slice(-2000)}`)
  return stdout
}
