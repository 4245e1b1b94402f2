import { readFile, stat } from 'node:fs/promises'
import { type KeyStore, type KeyStoreItem, SecretError } from '#contracts'
import type { Logger } from '#logging'
import {
  ChangeListeners,
  type KeyStoreEntry,
  type KeyStoreType,
  type KeyStore as ReadKeyStore,
  readKeyStore,
} from '#secrets'
import { EVENTS } from '../log-events.ts'

/** How often the file is looked at. */
const INTERVAL = 1_000

/** What a keystore is opened with. */
interface KeyStoreSettings {
  readonly path: string
  readonly type: KeyStoreType
  readonly password: () => Promise<Buffer | null>
  readonly logger: Logger
}

/** A keystore file that is read again when it changes; what can not be read leaves the last good content in place. */
export class OpenKeyStore implements KeyStore {
  readonly #settings: KeyStoreSettings
  readonly #changes = new ChangeListeners()
  readonly onChange = this.#changes.onChange
  #content: ReadKeyStore | null = null
  #state = ''
  #looking = false

  constructor(settings: KeyStoreSettings) {
    this.#settings = settings
  }

  /** Reads the file for the first time; gives what a person should know of it. */
  async open(): Promise<readonly string[]> {
    this.#state = await this.#fileState()
    this.#content = await this.#read()
    return this.#content.warnings
  }

  async items(keyPassword: Buffer | null): Promise<readonly KeyStoreItem[]> {
    const password = keyPassword?.toString('utf8') ?? null
    return (this.#content?.entries ?? []).flatMap((entry) => itemOf(entry, password))
  }

  /** Looks at the file from time to time; gives the way to stop. */
  watch(): () => void {
    const timer = setInterval(() => void this.look(), INTERVAL).unref()
    return () => clearInterval(timer)
  }

  /** Reads the file again if it has changed. Never fails: a bad file is logged. */
  async look(): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    try {
      const state = await this.#fileState()
      if (state === this.#state) return
      this.#state = state
      this.#content = await this.#read()
      this.#settings.logger.info({ keystore: this.#settings.path }, 'the keystore has changed and was read again')
      this.#changes.tell()
    } catch (error) {
      this.#settings.logger.error({ error }, EVENTS.KEYSTORE_UNREADABLE)
    } finally {
      this.#looking = false
    }
  }

  async #read(): Promise<ReadKeyStore> {
    const { path, type, password } = this.#settings
    try {
      const bytes = await readFile(path)
      return readKeyStore(bytes, type, (await password())?.toString('utf8') ?? null)
    } catch (error) {
      throw new SecretError(`${path}: ${(error as Error).message}`, { cause: error })
    }
  }

  async #fileState(): Promise<string> {
    try {
      const { dev, ino, size, mtimeNs } = await stat(this.#settings.path, { bigint: true })
      return [dev, ino, size, mtimeNs].join(' ')
    } catch (error) {
      return `error ${(error as NodeJS.ErrnoException).code}`
    }
  }
}

function itemOf(entry: KeyStoreEntry, password: string | null): KeyStoreItem[] {
  const { alias } = entry
  if (entry.kind === 'trusted') return [{ alias, key: null, certificates: [entry.certificate] }]
  return entry.kind === 'key' ? [{ alias, key: entry.privateKey(password), certificates: entry.chain }] : []
}
