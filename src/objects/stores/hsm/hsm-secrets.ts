import { createHash } from 'node:crypto'
import { access } from 'node:fs/promises'
import { CachedValue } from '#cache'
import {
  type ModuleKey,
  type Purpose,
  Secret,
  SecretError,
  type SecretQuery,
  type SecretStore,
  type SecretsProvider,
} from '#contracts'
import type { Environment, Problem } from '#schema'
import {
  ChangeListeners,
  certificatePurposes,
  notAfterOf,
  READ_FAILURE_PAUSE,
  SecretExpiry,
  type TokenChoice,
  type TokenEntry,
  TokenLink,
  TokenProblem,
  type Versioned,
} from '#secrets'
import { EVENTS } from '../log-events.ts'
import { HsmProblems } from './hsm-problems.ts'

interface Mapping {
  readonly secretId: string
  readonly aliases: readonly string[]
}

interface HsmSettings {
  /** Absolute path of the module. */
  readonly library: string
  readonly token: TokenChoice
  readonly timeout: number
  readonly pinSecretId: string
  readonly pins: SecretsProvider
  readonly mappings: readonly Mapping[]
  readonly lease: number
  readonly env: Environment
}

type SecretsByIds = ReadonlyMap<string, readonly Secret[]>

/** The mapped keys of a token: public parts are cached for the lease, private keys are used in the module. */
export class HsmSecrets implements SecretStore {
  readonly #settings: HsmSettings
  readonly #ids: ReadonlySet<string>
  readonly #link: TokenLink
  readonly #content: CachedValue<Versioned<SecretsByIds>>
  readonly #changes = new ChangeListeners()
  readonly onChange = this.#changes.onChange
  /** Reused while nothing has changed, so that prepared keys are not prepared again. */
  #last: Versioned<SecretsByIds> | null = null
  #isOpen = false

  constructor(settings: HsmSettings) {
    this.#settings = settings
    this.#ids = new Set(settings.mappings.map(({ secretId }) => secretId))
    const { library, token, timeout, lease, env } = settings
    const { clock, logger } = env
    this.#link = new TokenLink({
      library,
      token,
      variables: env.variables,
      timeout,
      clock,
      pin: () => this.#pin(),
      onState: (failure) => this.#report(failure),
    })
    const expiry = new SecretExpiry(env)
    this.#content = new CachedValue({
      ttl: lease,
      failurePause: READ_FAILURE_PAUSE,
      clock,
      load: () => this.#read(),
      onFailure: (error, previous, kept) => {
        if (!this.#isOpen || error.message === previous?.message) return
        logger.error({ error, library, keptForMilliseconds: kept }, EVENTS.HSM_UNREADABLE)
      },
      onRecovery: () => logger.info({ library }, 'the keys of a security module can be read again'),
      onLoaded: ({ version, content }, previous) => {
        for (const id of content.keys()) {
          expiry.measure(id, () => notAfterOf(this.#content.last?.content.get(id)?.[0]))
        }
        if (previous !== null && previous.version !== version) this.#changes.tell()
      },
    })
  }

  /**
   * Uses the module for the first time. Rejects where configuration or token have to change; a module that can not be used now
   * is a warning, since it may be reachable later.
   */
  async open(): Promise<void> {
    const { library, env } = this.#settings
    try {
      await access(library)
    } catch (error) {
      throw this.#problem('/library', `the PKCS #11 module "${library}" can not be read: ${(error as Error).message}`)
    }
    try {
      await this.#content.get()
    } catch (error) {
      if (error instanceof HsmProblems) throw error
      env.warn(`${(error as Error).message}; lookups of its keys fail until it can be used`)
    } finally {
      this.#isOpen = true
    }
  }

  async find({ secretId }: SecretQuery): Promise<readonly Secret[] | null> {
    if (!this.#ids.has(secretId)) return null
    return (await this.#content.get()).content.get(secretId) ?? []
  }

  close(): void {
    this.#link.close()
  }

  async #read(): Promise<Versioned<SecretsByIds>> {
    const { mappings, env } = this.#settings
    const aliases = [...new Set(mappings.flatMap((mapping) => mapping.aliases))]
    const entries = await this.#link.entries(aliases).catch((error: Error) => this.#refuse(error))
    const version = versionOf(entries)
    if (this.#last?.version === version) return this.#last
    const problems: Problem[] = []
    const content = new Map<string, readonly Secret[]>()
    for (const [at, { secretId, aliases }] of mappings.entries()) {
      const secrets: Secret[] = []
      for (const [index, alias] of aliases.entries()) {
        const entry = entries.get(alias) ?? null
        const pointer = `/mappings/${at}/aliases/${index}`
        const use = `which the secret id "${secretId}" is mapped to`
        if (entry === null)
          problems.push({ pointer, message: `the token has no object with the label "${alias}", ${use}` })
        else if (entry instanceof Error)
          problems.push({ pointer, message: `the alias "${alias}", ${use}: ${entry.message}` })
        else secrets.push(this.#secret(secretId, alias, entry))
      }
      content.set(secretId, secrets)
    }
    if (problems.length > 0) throw new HsmProblems(env.name, problems)
    this.#last = { content, version }
    return this.#last
  }

  #secret(secretId: string, alias: string, { privateKey, publicKey, certificate }: TokenEntry): Secret {
    const certified = certificate === null ? null : certificatePurposes(certificate)
    const allowed: Purpose[] = ['VERIFY', 'ENCRYPT']
    if (privateKey?.signs) allowed.push('SIGN')
    if (privateKey?.decrypts) allowed.push('DECRYPT')
    return new Secret({
      secretId,
      stableId: alias,
      source: this.#settings.env.name,
      key: publicKey,
      ...(privateKey !== null && { moduleKey: this.#moduleKey(alias) }),
      certificates: certificate === null ? [] : [certificate],
      purposes: certified === null ? allowed : allowed.filter((purpose) => certified.includes(purpose)),
    })
  }

  #moduleKey(alias: string): ModuleKey {
    const refuse = (error: Error) => this.#refuse(error)
    return {
      sign: (algorithm, data) => this.#link.sign(alias, algorithm, data).catch(refuse),
      decrypt: (algorithm, data) => this.#link.decrypt(alias, algorithm, data).catch(refuse),
    }
  }

  async #pin(): Promise<Buffer> {
    const { pins, pinSecretId } = this.#settings
    try {
      return (await pins.active({ secretId: pinSecretId, purpose: 'GENERIC' })).revealBytes()
    } catch (error) {
      throw new TokenProblem('/storePasswordSecretId', `the PIN can not be had: ${(error as Error).message}`)
    }
  }

  #report(failure: Error | null): void {
    const { env, library } = this.#settings
    if (failure === null) env.reportState('up', 'the security module is in use')
    else env.reportState('degraded', 'the security module can not be used; further attempts follow')
    if (!this.#isOpen) return
    if (failure === null) env.logger.info({ library }, 'a security module can be used again')
    else env.logger.error({ error: failure, library }, EVENTS.HSM_UNUSABLE)
  }

  /** Names the module; a problem of the configuration gets its field. */
  #refuse(error: Error): never {
    const { library } = this.#settings
    const message = `the PKCS #11 module "${library}": ${error.message}`
    if (error instanceof TokenProblem) throw this.#problem(error.pointer, message)
    throw new SecretError(message)
  }

  #problem(pointer: string, message: string): HsmProblems {
    return new HsmProblems(this.#settings.env.name, [{ pointer, message }])
  }
}

/** Digest of all public parts, and of the problems of entries. */
function versionOf(entries: ReadonlyMap<string, TokenEntry | Error | null>): string {
  const hash = createHash('sha256')
  for (const [alias, entry] of entries) {
    hash.update(`\0${alias}\0`)
    if (entry === null || entry instanceof Error) hash.update(`${entry?.message}`)
    else {
      const { privateKey, publicKey, certificate } = entry
      hash
        .update(`${privateKey?.signs} ${privateKey?.decrypts} `)
        .update(publicKey.export({ format: 'der', type: 'spki' }))
      if (certificate !== null) hash.update(certificate.raw)
    }
  }
  return hash.digest('base64')
}
