import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './steps.ts'

/** A package that was packed and installed. */
interface InstalledPackage {
  /** The command `gateway`, as npm links it. */
  readonly command: string
  /** The folder of the package. */
  readonly directory: string
  /** Paths of the files in the archive. */
  readonly files: readonly string[]
}

/**
 * Packs this checkout and installs it below a directory, as `npm install --global` does. Dependencies come from the cache
 * of npm, which has them since `npm ci`; rejects where they are missing in it.
 */
export async function installPackage(prefix: string): Promise<InstalledPackage> {
  const packed = JSON.parse(await npm(['pack', '--json', '--pack-destination', prefix])) as PackedArchive[]
  const [archive] = packed
  if (archive === undefined) throw new Error('npm pack made no archive')
  await npm(['install', '--global', '--offline', '--prefix', prefix, join(prefix, archive.filename)])
  return {
    command: join(prefix, 'bin', 'gateway'),
    directory: join(prefix, 'lib', 'node_modules', archive.name),
    files: archive.files.map(({ path }) => path),
  }
}

interface PackedArchive {
  readonly name: string
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

/** Standard output of npm. The output of `prepack` comes before the JSON of `npm pack`. */
async function npm(args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', [...args, '--loglevel=error'], {
    cwd: root,
    maxBuffer: 64 * 1_024 * 1_024,
  })
  return stdout.slice(Math.max(stdout.search(/^\[$/m), 0))
}
