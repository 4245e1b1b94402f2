import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { type Secret, SecretError, type SecretQuery, type SecretStore } from '#contracts'
import type { Environment } from '#schema'
import {
  formattedSecrets,
  isAbsent,
  LinkOutsideError,
  pathInside,
  readSecretFile,
  SecretExpiry,
  SecretsById,
  type SecretsOfId,
  type Versioned,
} from '#secrets'
import { type FormatSettings, formatOf } from '../lib/formats.ts'
import type { FilePair } from './pair-mappings.ts'
import { type FileNames, type SecretFiles, secretFilesOf, stateOfFiles } from './secret-files.ts'

/** Settings of the store that are not about formats. */
interface FileSettings extends FileNames {
  /** Whether a link may lead out of the directory. */
  readonly followLinks: boolean
  readonly lease: number
}

/** Secret ids, which are prefixes of file names: no separators, no leading dot, no `..` (threats B52). */
const SECRET_ID = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/
/** Reads of files that are replaced while they are read. */
const MOST_ATTEMPTS = 3

/** A store over the files of a directory. */
export class FileSecrets implements SecretStore {
  readonly #settings: FileSettings
  readonly #env: Environment
  readonly #formatFor: ReturnType<typeof formatOf>
  readonly #secrets: SecretsById
  /** State of the files of each id at the last read. */
  readonly #states = new Map<string, string>()

  constructor(settings: FileSettings, formats: FormatSettings, env: Environment) {
    this.#settings = settings
    this.#env = env
    this.#formatFor = formatOf(formats)
    const { clock, logger } = env
    const { lease } = settings
    const expiry = new SecretExpiry(env)
    this.#secrets = new SecretsById({ lease, clock, logger, expiry, read: (id, kept) => this.#read(id, kept) })
  }

  async find(query: SecretQuery): Promise<SecretsOfId> {
    return SECRET_ID.test(query.secretId) ? this.#secrets.find(query) : null
  }

  problemOf(secretId: string): Error | null | undefined {
    return this.#secrets.problemOf(secretId)
  }

  onChange(listener: () => void): () => void {
    return this.#secrets.onChange(listener)
  }

  /** Reads files again that have changed since the last read. */
  async check(): Promise<void> {
    for (const secretId of this.#secrets.ids) {
      const { state } = await this.#filesOf(secretId)
      if (state !== this.#states.get(secretId)) await this.#secrets.refresh(secretId)
    }
  }

  /**
   * Reads the files again where they are replaced in between: a certificate and a key of two renewals do not match, and the
   * content of a file would be recorded with the state of another.
   */
  async #read(secretId: string, kept: SecretsOfId): Promise<Versioned<SecretsOfId>> {
    for (let attempt = 1; ; attempt++) {
      const { files, state } = await this.#filesOf(secretId)
      const read = await this.#secretsOf(files, secretId, kept).catch((error: Error) => error)
      const { state: after } = await this.#filesOf(secretId)
      if (after !== state && attempt < MOST_ATTEMPTS) continue
      // Of files that are replaced all the time no state is known: the next check reads them.
      this.#states.set(secretId, after === state ? state : '')
      if (read instanceof Error) throw read
      return { content: read, version: `${state}\n${after}` }
    }
  }

  async #secretsOf(files: readonly SecretFiles[], secretId: string, kept: SecretsOfId): Promise<SecretsOfId> {
    const secrets: Secret[] = []
    for (const each of files) secrets.push(...(await this.#secretsIn(each, secretId)))
    if (secrets.length > 0) return secrets
    if (kept === null) return null
    throw this.#problem(secretId, this.#where(files.at(-1) as SecretFiles), 'the file is gone')
  }

  async #filesOf(secretId: string): Promise<{ readonly files: readonly SecretFiles[]; readonly state: string }> {
    const acceptsPairs = this.#formatFor(secretId).acceptsPairs === true
    const files = await secretFilesOf(this.#settings, secretId, acceptsPairs)
    return { files, state: await stateOfFiles(this.#settings.directory, files) }
  }

  async #secretsIn(files: SecretFiles, secretId: string): Promise<readonly Secret[]> {
    const content = 'file' in files ? await this.#content(files.file, secretId) : await this.#pair(files, secretId)
    if (content === null) return []
    const { logger, name: source } = this.#env
    const where = this.#where(files)
    const stableId = 'file' in files ? files.file : null
    const secrets = await formattedSecrets(this.#formatFor(secretId), content, {
      secretId,
      source,
      where,
      stableId,
      logger,
    })
    if (!('file' in files)) this.#checkPair(files, secrets[0] as Secret)
    return secrets
  }

  /** The content of both files of a pair; null where neither exists. */
  async #pair(pair: FilePair, secretId: string): Promise<Buffer | null> {
    const certificate = await this.#content(pair.certificateFile, secretId)
    const key = await this.#content(pair.keyFile, secretId)
    if (certificate !== null && key !== null) return Buffer.concat([certificate, Buffer.from('\n'), key])
    if (certificate === null && key === null && !this.#settings.pairs.has(secretId)) return null
    const what = certificate === null ? (key === null ? 'neither of them exists' : 'the first does not exist') : null
    throw this.#problem(secretId, this.#where(pair), what ?? 'the second does not exist')
  }

  #checkPair(pair: FilePair, secret: Secret): void {
    const { secretId, certificates, privateOrSecretKey } = secret
    if (privateOrSecretKey === null) {
      throw this.#problem(secretId, this.#where({ file: pair.keyFile }), 'expected a private key, found none')
    }
    if (certificates.length === 0) {
      throw this.#problem(secretId, this.#where({ file: pair.certificateFile }), 'expected a certificate, found none')
    }
  }

  async #content(name: string, secretId: string): Promise<Buffer | null> {
    const { directory, followLinks } = this.#settings
    const path = join(directory, name)
    try {
      return await readSecretFile(followLinks ? await realpath(path) : await pathInside(directory, path))
    } catch (error) {
      if (isAbsent(error)) return null
      const hint = error instanceof LinkOutsideError ? '; set followLinks of the store to follow it' : ''
      throw this.#problem(secretId, this.#where({ file: name }), `${(error as Error).message}${hint}`, error)
    }
  }

  #where(files: SecretFiles): string {
    const { directory } = this.#settings
    if ('file' in files) return `the file "${join(directory, files.file)}"`
    return `the files "${join(directory, files.certificateFile)}" and "${join(directory, files.keyFile)}"`
  }

  #problem(secretId: string, where: string, what: string, cause?: unknown): SecretError {
    return new SecretError(`${this.#env.name}: the secret id "${secretId}" in ${where}: ${what}`, { cause })
  }
}
