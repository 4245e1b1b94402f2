import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { KeyStoreError, type KeyStoreType, readKeyStore } from '@identity-gateway/jvm-keystores'
import { CachedValue } from '#cache'
import type { Secret, SecretQuery, SecretStore, SecretsProvider } from '#contracts'
import type { Environment } from '#schema'
import {
  ChangeListeners,
  fileState,
  MAX_KEYSTORE_BYTES,
  notAfterOf,
  READ_FAILURE_PAUSE,
  readSecretFile,
  SecretExpiry,
  type Versioned,
} from '#secrets'
import { EVENTS } from '../log-events.ts'
import { type Mapping, mappedSecrets } from './key-store-mappings.ts'
import { KeyStoreProblems } from './key-store-problems.ts'

interface KeyStoreSettings {
  readonly file: string
  readonly type: KeyStoreType
  readonly storePasswordSecretId: string | null
  readonly entryPasswordSecretId: string | null
  readonly passwords: SecretsProvider
  readonly mappings: readonly Mapping[]
  readonly lease: number
  readonly env: Environment
}

type SecretsByIds = ReadonlyMap<string, readonly Secret[]>

/** The mapped secrets of a keystore; read again when the lease ends or the file changes. */
export class KeyStoreSecrets implements SecretStore {
  readonly #settings: KeyStoreSettings
  readonly #ids: ReadonlySet<string>
  readonly #content: CachedValue<Versioned<SecretsByIds>>
  readonly #changes = new ChangeListeners()
  readonly onChange = this.#changes.onChange
  /** State of the file at the last read. */
  #state: string | null = null
  /** The last result, reused for an unchanged file: opening keys is slow by design. */
  #last: Versioned<SecretsByIds> | null = null
  /** Warnings go to the deploy result while loading, and to the log afterwards. */
  #isOpen = false

  constructor(settings: KeyStoreSettings) {
    this.#settings = settings
    this.#ids = new Set(settings.mappings.map(({ secretId }) => secretId))
    const { file, lease, env } = settings
    const { logger } = env
    const expiry = new SecretExpiry(env)
    this.#content = new CachedValue({
      ttl: lease,
      failurePause: READ_FAILURE_PAUSE,
      clock: env.clock,
      load: () => this.#read(),
      onFailure: (error, previous, kept) => {
        if (!this.#isOpen || error.message === previous?.message) return
        const outcome =
          kept > 0 ? 'its last good secrets are used until their lease ends' : 'lookups of its secrets fail'
        logger.error(
          { error, file, keptForMilliseconds: kept },
          EVENTS.KEYSTORE_UNREADABLE.withMessage(`a keystore can not be read; ${outcome}`),
        )
      },
      onRecovery: () => logger.info({ file }, 'a keystore can be read again'),
      onLoaded: ({ version, content }, previous) => {
        for (const secretId of content.keys()) expiry.measure(secretId, () => this.#notAfterOf(secretId))
        if (previous === null || previous.version === version) return
        logger.info({ file }, 'a keystore has changed and was read again')
        this.#changes.tell()
      },
    })
  }

  /** Reads the keystore for the first time. */
  async open(): Promise<void> {
    await this.#content.get()
    this.#isOpen = true
  }

  async find({ secretId }: SecretQuery): Promise<readonly Secret[] | null> {
    if (!this.#ids.has(secretId)) return null
    return (await this.#content.get()).content.get(secretId) ?? []
  }

  problemOf(secretId: string): Error | null | undefined {
    return this.#ids.has(secretId) ? this.#content.failure : undefined
  }

  /** Of the active secret. */
  #notAfterOf(secretId: string): number | null {
    return notAfterOf(this.#content.last?.content.get(secretId)?.[0])
  }

  /** Reads the keystore again if its file has changed since it was read. */
  async check(): Promise<void> {
    if ((await fileState(this.#settings.file)) !== this.#state) await this.refresh()
  }

  /** Reads the keystore again; never fails. */
  refresh(): Promise<void> {
    return this.#content.refresh()
  }

  async #read(): Promise<Versioned<SecretsByIds>> {
    const { file, type, storePasswordSecretId, entryPasswordSecretId, mappings, env } = this.#settings
    // Read before the content, so that a change in between is detected.
    this.#state = await fileState(file)
    const bytes = await this.#at('/file', `the keystore "${file}" can not be read`, async () =>
      readSecretFile(await realpath(file), MAX_KEYSTORE_BYTES),
    )
    const storePassword = await this.#password('/storePasswordSecretId', storePasswordSecretId)
    const entryPassword = await this.#password('/entryPasswordSecretId', entryPasswordSecretId)
    const version = versionOf(bytes, [storePassword, entryPassword])
    if (this.#last?.version === version) return this.#last
    const keyStore = await this.#at('/file', `the keystore "${file}" can not be opened`, async () =>
      readKeyStore(bytes, type, storePassword),
    )
    for (const warning of keyStore.warnings) this.#warn(`the keystore "${file}": ${warning}`)
    const { secrets, problems } = mappedSecrets(keyStore, mappings, {
      entryPassword,
      source: env.name,
      now: env.clock.now(),
      warn: (message) => this.#warn(message),
    })
    if (problems.length > 0) throw new KeyStoreProblems(env.name, problems)
    this.#last = { content: secrets, version }
    return this.#last
  }

  #warn(message: string): void {
    const { env, file } = this.#settings
    if (this.#isOpen) env.logger.warn({ file }, EVENTS.KEYSTORE_PROBLEM.withMessage(message))
    else env.warn(message)
  }

  async #password(pointer: string, secretId: string | null): Promise<string | null> {
    if (secretId === null) return null
    const { file, passwords } = this.#settings
    return this.#at(pointer, `the password of the keystore "${file}" can not be had`, async () => {
      const secret = await passwords.active({ secretId, purpose: 'GENERIC' })
      return secret.revealText()
    })
  }

  async #at<T>(pointer: string, what: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act()
    } catch (error) {
      const reason = error instanceof KeyStoreError ? error.detail : (error as Error).message
      throw new KeyStoreProblems(this.#settings.env.name, [{ pointer, message: `${what}: ${reason}` }])
    }
  }
}

/** Digest of file and passwords. */
function versionOf(bytes: Buffer, passwords: readonly (string | null)[]): string {
  const hash = createHash('sha256').update(bytes)
  for (const password of passwords) hash.update(`\0${password ?? ''}`)
  return hash.digest('base64')
}
