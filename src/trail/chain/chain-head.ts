import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { type ReplaceOptions, replaceFile } from '#files'
import { isPlainObject, parseJson } from '#json'
import type { ChainSigner } from './chain-key.ts'

/** How far a chain has come, kept beside its files: shows that lines at its end or whole files were removed. */
export interface ChainHead {
  /** Number and hash of the last signed line. */
  readonly number: number
  readonly hash: string
  /** Number of the first line that retention has left. */
  readonly first: number
  /** Name of the active file: the head of another trail is not valid here. Heads of earlier versions have none. */
  readonly file?: string
}

/** End of the name of the file, after the name of the active file. */
export const HEAD = '.head'

const MAX_BYTES = 4_096

/** Replaces the head on disk at once or not at all. The temporary file is the same for all writes, so that a crash leaves one at most. */
export async function writeHead(
  path: string,
  head: ChainHead,
  signer: ChainSigner,
  options: Required<Pick<ReplaceOptions, 'mode' | 'syncsName'>>,
): Promise<void> {
  const text = `${JSON.stringify({ ...head, signature: signer.sign(signedText(head)) })}\n`
  await replaceFile(path, text, { ...options, keepsMode: false, temporary: `${path}.tmp` })
}

/** Null where there is no head; a text where it can not be trusted. */
export async function readHead(path: string, signers: readonly ChainSigner[]): Promise<ChainHead | string | null> {
  const text = await headText(path)
  return text === null ? null : trustedHead(text, basename(path, HEAD), signers)
}

/** The text of a head, each byte as a character; null where there is no head. */
export async function headText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'latin1')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** The head of the trail with this active file, or of any; a text where it can not be trusted. */
export function trustedHead(text: string, file: string | null, signers: readonly ChainSigner[]): ChainHead | string {
  const parsed = parseHead(text)
  if (parsed === null) return 'it can not be read'
  const { signature, head, unknown } = parsed
  if (unknown !== undefined)
    return `it has the field ${JSON.stringify(unknown)}, which this version does not know: a newer one wrote it, or it was changed`
  if (`${JSON.stringify({ ...head, signature })}\n` !== text) return 'it was changed'
  if (!signers.some((signer) => signer.verify(signedText(head), signature))) return 'its signature is wrong'
  return file === null || (head.file ?? file) === file ? head : `it is the head of ${head.file}`
}

interface ParsedHead {
  readonly head: ChainHead
  readonly signature: string
  /** A field of another version. */
  readonly unknown: string | undefined
}

/** A head whose signature is not verified. */
export function parseHead(text: string): ParsedHead | null {
  if (text.length > MAX_BYTES) return null
  try {
    const value = parseJson(text)
    if (!isPlainObject(value)) return null
    const { number, hash, first, file, signature, ...others } = value
    if (typeof number !== 'number' || typeof first !== 'number') return null
    if (typeof hash !== 'string' || typeof signature !== 'string') return null
    if (file !== undefined && typeof file !== 'string') return null
    const head = { number, hash, first, ...(file !== undefined && { file }) }
    return { head, signature, unknown: Object.keys(others)[0] }
  } catch {
    return null
  }
}

function signedText({ number, hash, first, file }: ChainHead): string {
  return [`head ${number} ${hash} ${first}`, ...(file === undefined ? [] : [file])].join(' ')
}
