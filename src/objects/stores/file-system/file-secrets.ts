import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Secret, SecretError, type SecretQuery, type SecretStore } from '#contracts'
import type { Environment } from '#schema'
import {
  fileState,
  formattedSecrets,
  isAbsent,
  pathInside,
  readSecretFile,
  SecretExpiry,
  SecretsById,
  type SecretsOfId,
  type Versioned,
} from '#secrets'
import { type FormatSettings, formatOf } from '../lib/formats.ts'

/** Naming of files. */
interface FileNames {
  readonly directory: string
  readonly suffix: string
  readonly versionSuffix: string | null
}

/** Secret ids, which are prefixes of file names: no separators, no leading dot, no `..` (threats B52). */
const SECRET_ID = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/
const MOST_VERSIONS = 100

/** A store over the files of a directory. */
export class FileSecrets implements SecretStore {
  readonly #names: FileNames
  readonly #env: Environment
  readonly #formatFor: ReturnType<typeof formatOf>
  readonly #secrets: SecretsById
  /** State of the files of each id at the last read. */
  readonly #states = new Map<string, string>()

  constructor(names: FileNames, formats: FormatSettings, lease: number, env: Environment) {
    this.#names = names
    this.#env = env
    this.#formatFor = formatOf(formats)
    const { clock, logger } = env
    const expiry = new SecretExpiry(env)
    this.#secrets = new SecretsById({ lease, clock, logger, expiry, read: (id, kept) => this.#read(id, kept) })
  }

  async find(query: SecretQuery): Promise<SecretsOfId> {
    return SECRET_ID.test(query.secretId) ? this.#secrets.find(query) : null
  }

  onChange(listener: () => void): () => void {
    return this.#secrets.onChange(listener)
  }

  /** Reads files again that have changed since the last read. */
  async check(): Promise<void> {
    for (const secretId of this.#secrets.ids) {
      const state = await this.#stateOf(await this.#filesOf(secretId))
      if (state !== this.#states.get(secretId)) await this.#secrets.refresh(secretId)
    }
  }

  async #read(secretId: string, kept: SecretsOfId): Promise<Versioned<SecretsOfId>> {
    const names = await this.#filesOf(secretId)
    // Read before the content, so that a change in between is detected.
    const state = await this.#stateOf(names)
    this.#states.set(secretId, state)
    const secrets: Secret[] = []
    for (const name of names) secrets.push(...(await this.#secretsIn(name, secretId)))
    if (secrets.length > 0) return { content: secrets, version: state }
    if (kept !== null) throw this.#problem(secretId, names[0] as string, 'the file is gone')
    return { content: null, version: state }
  }

  async #secretsIn(name: string, secretId: string): Promise<readonly Secret[]> {
    const { directory } = this.#names
    let content: Buffer
    try {
      content = await readSecretFile(await pathInside(directory, join(directory, name)))
    } catch (error) {
      if (isAbsent(error)) return []
      throw this.#problem(secretId, name, (error as Error).message, error)
    }
    const { logger, name: source } = this.#env
    const where = `the file "${join(directory, name)}"`
    return formattedSecrets(this.#formatFor(secretId), content, { secretId, source, where, stableId: name, logger })
  }

  #problem(secretId: string, name: string, what: string, cause?: unknown): SecretError {
    const file = join(this.#names.directory, name)
    return new SecretError(`${this.#env.name}: the secret id "${secretId}" in the file "${file}": ${what}`, { cause })
  }

  /** The files of an id: its versions, the newest first, then the one without a version. */
  async #filesOf(secretId: string): Promise<readonly string[]> {
    const { directory, suffix, versionSuffix } = this.#names
    const plain = `${secretId}${suffix}`
    if (versionSuffix === null) return [plain]
    const start = `${secretId}${versionSuffix}`
    const listed = await readdir(directory).catch(() => [])
    const versions = listed
      .filter((name) => name.startsWith(start) && name.endsWith(suffix))
      .map((name) => ({ name, digits: name.slice(start.length, name.length - suffix.length) }))
      .filter(({ digits }) => /^\d{1,9}$/.test(digits))
      .sort((a, b) => Number(b.digits) - Number(a.digits))
    return [...versions.slice(0, MOST_VERSIONS).map(({ name }) => name), plain]
  }

  async #stateOf(names: readonly string[]): Promise<string> {
    const { directory } = this.#names
    const states = await Promise.all(names.map(async (name) => `${name}: ${await fileState(join(directory, name))}`))
    return states.join('\n')
  }
}
