import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Executor } from '#contracts'
import type { Environment } from '#schema'
import { DirectoryWatch, fileState, readSecretFile } from '#secrets'
import { EVENTS } from '../log-events.ts'
import { SeparatedValues } from './separated-values.ts'

/** Bytes of a file: its records are kept in the memory of each unit. */
const MAX_FILE_BYTES = 16 * 1024 * 1024

interface RecordFileSettings {
  readonly path: string
  readonly charset: string
  readonly separator: string
  readonly hasHeader: boolean
  /** Names of the fields; null for those of the header. */
  readonly fields: readonly string[] | null
  /** Name of the field by which records are found. */
  readonly key: string
}

/** A record by the names of its fields. */
type FileRecord = Readonly<Record<string, string>>

/** The records of a file, by the value of one field. */
export class RecordFile {
  readonly #settings: RecordFileSettings
  readonly #env: Environment
  #records: ReadonlyMap<string, FileRecord> = new Map()
  #state: string | null = null
  #isStale = false

  constructor(settings: RecordFileSettings, env: Environment) {
    this.#settings = settings
    this.#env = env
  }

  /** Reads the file. Throws where it can not be read or parsed, or has no field of that name. */
  async open(): Promise<void> {
    this.#state = await fileState(this.#settings.path)
    this.#records = await this.#read()
  }

  /** Reads the file again after changes, until the object is disposed. */
  watch(executor: Executor): void {
    const directory = dirname(this.#settings.path)
    const watch = new DirectoryWatch({ directory, executor, check: () => this.#check() })
    this.#env.onDispose(() => watch.stop())
    this.#env.onReload(() => void watch.check())
  }

  /** The first record with that value; null without one. */
  find(value: string): FileRecord | null {
    return this.#records.get(value) ?? null
  }

  async #check(): Promise<void> {
    const state = await fileState(this.#settings.path)
    if (state === this.#state) return
    this.#state = state
    try {
      this.#records = await this.#read()
      this.#env.logger.info({ records: this.#records.size }, 'the changed file was read')
      if (this.#isStale) this.#env.reportState('up', 'the file was read')
      this.#isStale = false
    } catch (error) {
      const { message: problem } = error as Error
      this.#env.logger.warn({ problem }, EVENTS.FILE_NOT_READ)
      this.#env.reportState('degraded', 'the changed file can not be read')
      this.#isStale = true
    }
  }

  async #read(): Promise<ReadonlyMap<string, FileRecord>> {
    const { path, charset, separator, hasHeader, fields, key } = this.#settings
    const bytes = await readSecretFile(await realpath(path), MAX_FILE_BYTES)
    const records = await SeparatedValues.parse(new TextDecoder(charset).decode(bytes), separator)
    const names = fields ?? records[0] ?? []
    const keyAt = names.indexOf(key)
    if (keyAt < 0) throw new Error(`expected the field "${key}" in the header, which has ${shown(names)}`)
    const byKey = new Map<string, FileRecord>()
    for (const values of hasHeader ? records.slice(1) : records) {
      const value = values[keyAt]
      if (value !== undefined && !byKey.has(value)) byKey.set(value, recordOf(names, values))
    }
    return byKey
  }
}

function recordOf(names: readonly string[], values: readonly string[]): FileRecord {
  const record: Record<string, string> = Object.create(null)
  for (const [at, value] of values.entries()) {
    const name = names[at]
    if (name !== undefined) record[name] = value
  }
  return record
}

function shown(names: readonly string[]): string {
  return names.length === 0
    ? 'no fields'
    : names
        .slice(0, 20)
        .map((name) => JSON.stringify(name.slice(0, 80)))
        .join(', ')
}
