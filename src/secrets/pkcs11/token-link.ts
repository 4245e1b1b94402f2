import { createHash } from 'node:crypto'
import type { Clock } from '#schema'
import { RetryDelay } from '#timing'
import { decryptionMechanism, signatureInput } from './mechanisms.ts'
import { isLostSession, ModuleFunctionError, ModuleUnavailableError } from './module-errors.ts'
import { ModuleProcess, type ModuleSettings } from './module-process.ts'
import { entryOf, type TokenEntry } from './token-objects.ts'
import { type TokenChoice, TokenProblem, TokenSession } from './token-session.ts'

interface LinkSettings extends ModuleSettings {
  readonly token: TokenChoice
  readonly clock: Clock
  /** The PIN, at each login. */
  pin(): Promise<Buffer>
  /** Called when the module could not be used, and when it can be used again. */
  onState(failure: Error | null): void
}

interface Connection {
  readonly module: ModuleProcess
  readonly session: TokenSession
  /** Entries that were found; their handles are those of the session. */
  readonly entries: Map<string, TokenEntry>
}

/** Operations that wait for their turn; more are refused. */
const MOST_WAITING = 1_000
const SHORTEST_PAUSE = 500
const LONGEST_PAUSE = 30_000

/**
 * Operations on a token, one after the other in one process. A process that ended is replaced, and the operation repeated once;
 * after a failure all operations fail without an attempt for 0.5 to 30 seconds.
 */
export class TokenLink {
  readonly #settings: LinkSettings
  readonly #delay = new RetryDelay(SHORTEST_PAUSE, LONGEST_PAUSE)
  #connection: Connection | null = null
  #tail: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #failure: { readonly error: Error; readonly retryAt: number } | null = null
  /** The login that the token refused, and the digest of its PIN. */
  #refused: { readonly problem: TokenProblem; readonly digest: string } | null = null
  #closed = false

  constructor(settings: LinkSettings) {
    this.#settings = settings
  }

  /** The entries of aliases: null for one that the token does not have, an Error where it can not be used. */
  entries(aliases: readonly string[]): Promise<ReadonlyMap<string, TokenEntry | Error | null>> {
    return this.#run(async (connection) => {
      connection.entries.clear()
      const found = new Map<string, TokenEntry | Error | null>()
      for (const alias of aliases) found.set(alias, await this.#entry(connection, alias).catch(asUnusable))
      return found
    })
  }

  sign(alias: string, algorithm: string, data: Buffer): Promise<Buffer> {
    return this.#run(async (connection) => {
      const prepared = signatureInput(algorithm, data)
      if (prepared === null) throw new Error(`keys in security modules do not sign by ${algorithm} here`)
      return connection.session.sign(await this.#privateKey(connection, alias), prepared.encoded, prepared.input)
    })
  }

  /** Null where the data is not encrypted to the key. */
  decrypt(alias: string, algorithm: string, data: Buffer): Promise<Buffer | null> {
    return this.#run(async (connection) => {
      const mechanism = decryptionMechanism(algorithm)
      if (mechanism === null) throw new Error(`keys in security modules do not decrypt by ${algorithm} here`)
      return connection.session
        .decrypt(await this.#privateKey(connection, alias), mechanism, data)
        .catch(nullIfUndecryptable)
    })
  }

  close(): void {
    this.#closed = true
    this.#connection?.module.stop()
  }

  async #privateKey(connection: Connection, alias: string): Promise<bigint> {
    const entry = await this.#entry(connection, alias)
    if (entry?.privateKey) return entry.privateKey.handle
    throw new Error(`the token has no private key "${alias}" any more`)
  }

  async #entry(connection: Connection, alias: string): Promise<TokenEntry | null> {
    const known = connection.entries.get(alias)
    if (known !== undefined) return known
    const found = await entryOf(connection.session, alias)
    if (found !== null) connection.entries.set(alias, found)
    return found
  }

  #run<T>(operation: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#waiting >= MOST_WAITING) {
      return Promise.reject(new ModuleUnavailableError(`${MOST_WAITING} operations wait for the module`))
    }
    const { clock, timeout } = this.#settings
    const latest = clock.monotonic() + timeout
    this.#waiting++
    const result = this.#tail.then(() => {
      if (clock.monotonic() <= latest) return this.#attempt(operation)
      throw new ModuleUnavailableError(`the module is busy: an operation has waited for ${timeout} ms`)
    })
    this.#tail = result.then(
      () => this.#waiting--,
      () => this.#waiting--,
    )
    return result
  }

  /** Repeats an operation once in a new session. Signing and decrypting again does no harm. */
  async #attempt<T>(operation: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return this.#succeeded(await operation(await this.#connected()))
    } catch (error) {
      if (!isLostSession(error) || this.#failure !== null) throw this.#noted(error as Error)
      this.#drop()
    }
    try {
      return this.#succeeded(await operation(await this.#connected()))
    } catch (error) {
      if (isLostSession(error)) this.#drop()
      throw this.#noted(error as Error)
    }
  }

  #succeeded<T>(value: T): T {
    if (this.#failure !== null) this.#settings.onState(null)
    this.#failure = null
    this.#delay.reset()
    return value
  }

  /** Starts the pause after a failure of the module; errors of a single operation start none. */
  #noted(error: Error): Error {
    if (this.#connection?.module.usable === true) return error
    if (this.#failure !== null && this.#settings.clock.monotonic() < this.#failure.retryAt) return error
    if (this.#failure?.error.message !== error.message) this.#settings.onState(error)
    this.#failure = { error, retryAt: this.#settings.clock.monotonic() + this.#delay.next() }
    return error
  }

  #drop(): void {
    this.#connection?.module.stop()
    this.#connection = null
  }

  async #connected(): Promise<Connection> {
    if (this.#closed) throw new ModuleUnavailableError('the store was replaced or removed')
    if (this.#connection?.module.usable === true) return this.#connection
    this.#drop()
    const { clock, token } = this.#settings
    if (this.#failure !== null && clock.monotonic() < this.#failure.retryAt) throw this.#failure.error
    const pin = await this.#settings.pin()
    const digest = createHash('sha256').update(pin).digest('base64')
    if (this.#refused?.digest === digest) throw this.#refused.problem
    const module = new ModuleProcess(this.#settings)
    try {
      this.#connection = { module, session: await TokenSession.open(module, token, pin), entries: new Map() }
    } catch (error) {
      module.stop()
      if (error instanceof TokenProblem && error.wrongPin) this.#refused = { problem: error, digest }
      throw error
    }
    // Disposed while it was opened.
    if (this.#closed) this.#drop()
    return this.#connected()
  }
}

/** Errors of the module are passed on; others are about one entry. */
function asUnusable(error: Error): Error {
  if (error instanceof ModuleUnavailableError || error instanceof ModuleFunctionError) throw error
  return error
}

/** Modules report wrong padding by different errors of C_Decrypt; those of C_DecryptInit are about the key. */
function nullIfUndecryptable(error: Error): null {
  if (error instanceof ModuleFunctionError && error.of === 'C_Decrypt' && !isLostSession(error)) return null
  throw error
}
