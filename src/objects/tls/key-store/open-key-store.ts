import { realpath } from 'node:fs/promises'
import {
  type KeyStoreEntry,
  type KeyStoreType,
  type KeyStore as ReadKeyStore,
  readKeyStore,
} from '@identity-gateway/jvm-keystores'
import { type KeyStore, type KeyStoreItem, SecretError } from '#contracts'
import type { Logger } from '#logging'
import { ChangeListeners, fileState, MAX_KEYSTORE_BYTES, readSecretFile } from '#secrets'
import { EVENTS } from '../log-events.ts'

/** Interval of checks of the file. */
const INTERVAL = 1_000
/** Checks until an unchanged file that could not be read is read again: decryption takes much CPU time. */
const CHECKS_UNTIL_RETRY = 30

interface KeyStoreSettings {
  readonly path: string
  readonly type: KeyStoreType
  readonly password: () => Promise<Buffer | null>
  readonly logger: Logger
}

/** A keystore file that is read again when it changes. The last good content stays in use while it can not be read. */
export class OpenKeyStore implements KeyStore {
  readonly #settings: KeyStoreSettings
  readonly #changes = new ChangeListeners()
  readonly onChange = this.#changes.onChange
  #content: ReadKeyStore | null = null
  #problem: Error | null = null
  #state: string | null = null
  #checking = false
  /** Checks since the last read. */
  #checks = 0

  constructor(settings: KeyStoreSettings) {
    this.#settings = settings
  }

  /** Reads the file for the first time; returns warnings. */
  async open(): Promise<readonly string[]> {
    this.#state = await fileState(this.#settings.path)
    this.#content = await this.#read()
    return this.#content.warnings
  }

  get problem(): Error | null {
    return this.#problem
  }

  async items(keyPassword: Buffer | null): Promise<readonly KeyStoreItem[]> {
    const password = keyPassword?.toString('utf8') ?? null
    return (this.#content?.entries ?? []).flatMap((entry) => itemOf(entry, password))
  }

  /** Checks the file periodically; returns the function that stops it. */
  watch(): () => void {
    const timer = setInterval(() => void this.check(), INTERVAL).unref()
    return () => clearInterval(timer)
  }

  /** Reads the file again if it has changed. Never fails: an invalid file is logged. */
  async check(): Promise<void> {
    if (this.#checking) return
    this.#checking = true
    try {
      const state = await fileState(this.#settings.path)
      // What made a read fail may be another file, such as that of the password, or its permissions.
      const isRetried = this.#problem !== null && ++this.#checks >= CHECKS_UNTIL_RETRY
      if (state === this.#state && !isRetried) return
      this.#state = state
      this.#checks = 0
      this.#content = await this.#read()
      this.#problem = null
      this.#settings.logger.info({ keystore: this.#settings.path }, 'the keystore has changed and was read again')
      this.#changes.tell()
    } catch (error) {
      const isKnown = this.#problem?.message === (error as Error).message
      this.#problem = error as Error
      if (!isKnown) this.#settings.logger.error({ error }, EVENTS.KEYSTORE_UNREADABLE)
    } finally {
      this.#checking = false
    }
  }

  async #read(): Promise<ReadKeyStore> {
    const { path, type, password } = this.#settings
    try {
      const bytes = await readSecretFile(await realpath(path), MAX_KEYSTORE_BYTES)
      return readKeyStore(bytes, type, (await password())?.toString('utf8') ?? null)
    } catch (error) {
      throw new SecretError(`${path}: ${(error as Error).message}`, { cause: error })
    }
  }
}

function itemOf(entry: KeyStoreEntry, password: string | null): KeyStoreItem[] {
  const { alias } = entry
  if (entry.kind === 'trusted') return [{ alias, key: null, certificates: [entry.certificate] }]
  return entry.kind === 'key' ? [{ alias, key: entry.privateKey(password), certificates: entry.chain }] : []
}
