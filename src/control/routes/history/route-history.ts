import { isAbsolute, join, relative, sep } from 'node:path'
import { isResourceShortage } from '#files'
import type { Logger } from '#logging'
import { EVENTS } from '../../log-events.ts'
import { parseRouteFile, revisionOf, textRevision } from '../route-files.ts'
import { readHistory } from './history-reading.ts'
import { type Replacement, readVersionText, UnreadableVersion, versionName } from './version-file.ts'
import { type HistoryLimits, type StoredVersion, VersionIndex } from './version-index.ts'
import { VersionWriter } from './version-writer.ts'

/** A version of a route that is being replaced. */
export interface ReplacedVersion {
  readonly id: string
  readonly file: string
  readonly revision: string
  readonly text: string
}

/** Input of a history. */
interface HistoryInput {
  readonly instance: string
  /** Folder of the versions. */
  readonly directory: string
  readonly logger: Logger
  readonly clock: { now(): number }
  readonly limits?: HistoryLimits
}

const LIMITS: HistoryLimits = { versions: 10, files: 10_000, bytes: 64 * 1024 * 1024 }

const WARNING_INTERVAL = 60_000

/** Longer values are truncated: names of users and transaction ids have no limit at their source. */
const MAX_NAME = 256

/**
 * The replaced versions of all routes, one file each, so that they survive a restart. A version that can not be written
 * stays in memory until the process ends, and is counted: a deploy does not fail because of its history.
 */
export class RouteHistory {
  readonly #input: HistoryInput
  readonly #index: VersionIndex
  readonly #writer: VersionWriter
  #loading: Promise<void> | null = null
  #sequence = 0
  #failures = 0

  constructor(input: HistoryInput) {
    this.#input = input
    this.#index = new VersionIndex(input.limits ?? LIMITS)
    this.#writer = new VersionWriter(input.directory, {
      written: (version) => {
        version.text = null
        return this.#index.has(version)
      },
      failed: (version, error) => {
        this.#failures++
        this.#warnUnwritten(version, error)
      },
    })
  }

  /** Reads the stored versions on its first call; never rejects. */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#input.logger.warn({ error }, EVENTS.HISTORY_UNREADABLE)
    })
    return this.#loading
  }

  /** Number of versions. */
  get size(): number {
    return this.#index.size
  }

  /** Total length of their texts. */
  get bytes(): number {
    return this.#index.bytes
  }

  /** Number of versions that could not be written. */
  get failures(): number {
    return this.#failures
  }

  /** The name of a router's folder in the history: relative, since the instance may be moved. */
  folderName(directory: string): string {
    const inside = relative(this.#input.instance, directory)
    return inside.startsWith('..') || isAbsolute(inside) ? directory : inside.split(sep).join('/')
  }

  /** The versions of a route, the newest first. Complete once `load` is done. */
  versions(folder: string, id: string): readonly StoredVersion[] {
    return this.#index.versions(folder, id)
  }

  /** Ids of the routes of a folder with versions, including deleted routes. */
  ids(folder: string): Iterable<string> {
    return this.#index.ids(folder)
  }

  /** Stores versions; resolves when they are on disk, or can not be written. */
  async storeNow(folder: string, replaced: readonly ReplacedVersion[], by: Replacement): Promise<void> {
    await this.load()
    const kept = replaced.map((version) => this.#add(folder, version, by))
    await Promise.all(kept.map((version) => this.#writer.now(version)))
  }

  /** Stores versions in the background, a few at a time: they may be many. */
  async storeInBackground(folder: string, replaced: readonly ReplacedVersion[], by: Replacement): Promise<void> {
    await this.load()
    for (const version of replaced) this.#writer.soon(this.#add(folder, version, by))
  }

  /** Writes the queued versions of a route now; resolves when they are on disk, or can not be written. */
  async finish(folder: string, id: string): Promise<void> {
    await this.load()
    const unwritten = this.versions(folder, id).filter(({ text }) => text !== null)
    await Promise.all(unwritten.map((version) => this.#writer.now(version)))
  }

  /** The text of a version; null if its file is invalid, which removes the version. Throws if resources are exhausted. */
  async read(version: StoredVersion): Promise<string | null> {
    try {
      const text = version.text ?? (await readVersionText(this.#input.directory, version.name))
      const { file, revision } = version.head
      if ((parseRouteFile(file, text, '').route?.revision ?? revisionOf({ text })) === revision) return text
      throw new UnreadableVersion('its text does not match its revision')
    } catch (error) {
      if (isResourceShortage(error)) throw error
      this.#index.remove(version)
      const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message
      this.#input.logger.warn(
        { file: join(this.#input.directory, version.name), reason },
        EVENTS.HISTORY_VERSION_IGNORED,
      )
      return null
    }
  }

  /** Resolves when all queued versions are written. */
  async settled(): Promise<void> {
    await this.load()
    await this.#writer.settled()
  }

  /** Drops queued writes, and resolves when the running ones have ended. */
  async close(): Promise<void> {
    await this.load()
    await this.#writer.close()
  }

  async #load(): Promise<void> {
    const { directory, logger, limits = LIMITS } = this.#input
    const { versions, surplus, lastSequence } = await readHistory(directory, limits.files, logger)
    for (const name of surplus) this.#writer.removeFile(name)
    this.#sequence = lastSequence
    for (const version of versions) for (const gone of this.#index.add(version)) this.#writer.remove(gone)
  }

  #add(folder: string, { id, file, revision, text }: ReplacedVersion, by: Replacement): StoredVersion {
    const sequence = ++this.#sequence
    const replacedAt = new Date(this.#input.clock.now()).toISOString()
    const { user, transactionId } = by
    const replacedBy = {
      ...by,
      ...(user !== undefined && { user: user.slice(0, MAX_NAME) }),
      ...(transactionId !== undefined && { transactionId: transactionId.slice(0, MAX_NAME) }),
    }
    const sourceRevision = textRevision(text)
    const head = { folder, file, id, revision, sourceRevision, replacedAt, replacedBy, bytes: Buffer.byteLength(text) }
    const version: StoredVersion = { head, name: versionName(sequence, id), sequence, text }
    for (const gone of this.#index.add(version)) this.#writer.remove(gone)
    return version
  }

  #warnUnwritten({ head }: StoredVersion, error: NodeJS.ErrnoException): void {
    const { directory, logger } = this.#input
    const { code } = error
    const fields = { directory, route: head.id, revision: head.revision, errno: code }
    const message = 'a replaced version of a route can not be written, it is kept until a restart'
    logger.limited(code, WARNING_INTERVAL).warn(fields, EVENTS.HISTORY_WRITE_FAILED.withMessage(message))
  }
}
