import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileState } from '#secrets'
import type { FilePair } from './pair-mappings.ts'

/** Naming of files. */
export interface FileNames {
  readonly directory: string
  readonly suffix: string
  readonly versionSuffix: string | null
  /** Files of certificate and key by secret id. */
  readonly pairs: ReadonlyMap<string, FilePair>
}

/** The file of a secret, or the two files of a certificate and its key. */
export type SecretFiles = { readonly file: string } | FilePair

const MOST_VERSIONS = 100

/** The files of an id: its versions, the newest first, then the one without a version or the pair. */
export async function secretFilesOf(
  { directory, suffix, versionSuffix, pairs }: FileNames,
  secretId: string,
  acceptsPairs: boolean,
): Promise<readonly SecretFiles[]> {
  const mapped = pairs.get(secretId)
  if (mapped !== undefined) return [mapped]
  const plain = `${secretId}${suffix}`
  const isPair = acceptsPairs && (await fileState(join(directory, plain))) === null
  const last = isPair ? { certificateFile: `${secretId}.crt`, keyFile: `${secretId}.key` } : { file: plain }
  if (versionSuffix === null) return [last]
  const start = `${secretId}${versionSuffix}`
  const listed = await readdir(directory).catch(() => [])
  const versions = listed
    .filter((name) => name.startsWith(start) && name.endsWith(suffix))
    .map((name) => ({ name, digits: name.slice(start.length, name.length - suffix.length) }))
    .filter(({ digits }) => /^\d{1,9}$/.test(digits))
    .sort((a, b) => Number(b.digits) - Number(a.digits))
  return [...versions.slice(0, MOST_VERSIONS).map(({ name }) => ({ file: name })), last]
}

/** State of files, which differs when one of them is changed, replaced, added or removed. */
export async function stateOfFiles(directory: string, files: readonly SecretFiles[]): Promise<string> {
  const names = files.flatMap((each) => ('file' in each ? [each.file] : [each.certificateFile, each.keyFile]))
  const states = await Promise.all(names.map(async (name) => `${name}: ${await fileState(join(directory, name))}`))
  return states.join('\n')
}
