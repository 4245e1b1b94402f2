import {
  type AmService,
  AmSessionContext,
  CapturedPassword,
  CapturedPasswordContext,
  SecretError,
  type SecretsProvider,
} from '#contracts'
import { type Exchange, type Handler, type Response, respond } from '#http'
import type { JsonValue } from '#json'
import type { Logger } from '#logging'
import type { Runtime } from '#schema'
import { firstSessionOf, sessionTokensOf } from '../../lib/am/session-token.ts'
import { recordDenied, recordFailed } from '../../lib/audit/decisions.ts'
import { sessionLookupFailed } from '../lib/access-manager-failure.ts'
import { EVENTS } from '../log-events.ts'
import { decryptPassword, type KeyType, passwordKey } from './decrypt-password.ts'

/** Session property in which the access manager stores the encrypted password. */
const PROPERTY = 'sunIdentityUserPassword'

interface Settings {
  readonly amService: AmService
  /** Null: the session cookie. */
  readonly ssoToken: Runtime<string> | null
  readonly secrets: SecretsProvider
  readonly keySecretId: string
  readonly keyType: KeyType
  readonly logger: Logger
}

/** Decrypts passwords of sessions. Fails closed: without a password the request is not passed on. */
export class CapturedPasswords {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  async handle(exchange: Exchange, next: Handler): Promise<Response> {
    const { logger } = this.#settings
    let encrypted: string | null
    try {
      encrypted = await this.#encryptedPassword(exchange)
    } catch (error) {
      return sessionLookupFailed(error, { exchange, logger })
    }
    if (encrypted === null) {
      recordDenied(exchange, logger, 'no captured password')
      return respond(403, { 'Cache-Control': 'no-store' }, 'The request has no session with a captured password.\n')
    }
    const password = await this.#decrypt(encrypted)
    if (password !== null) return next(exchange.with(CapturedPasswordContext, new CapturedPassword(password)))
    logger.limited().error(exchange.ids, EVENTS.PASSWORD_NOT_DECRYPTED)
    recordFailed(exchange, logger, 'captured password not decrypted')
    return respond(500)
  }

  /** From the context of a SessionInfoFilter with the same AmService, else from the session; null without one. */
  async #encryptedPassword(exchange: Exchange): Promise<string | null> {
    const { amService, ssoToken, logger } = this.#settings
    const given = ssoToken === null ? null : await ssoToken(exchange)
    if (ssoToken !== null && given === null) return null
    const context = exchange.context(AmSessionContext)
    const known = context?.isOf(amService, given) === true ? textOf(context.properties[PROPERTY]) : null
    if (known !== null) return known
    const tokens = given === null ? sessionTokensOf(exchange, await amService.cookieName()) : [given]
    const session = (await firstSessionOf(amService, tokens))?.session ?? null
    if (session === null) return null
    const found = textOf(session.properties[PROPERTY])
    if (found === null) logger.limited().warn(exchange.ids, EVENTS.NO_CAPTURED_PASSWORD)
    return found
  }

  async #decrypt(encrypted: string): Promise<Buffer | null> {
    const { secrets, keySecretId, keyType, logger } = this.#settings
    try {
      const secret = await secrets.active({ secretId: keySecretId, purpose: 'GENERIC' })
      const key = passwordKey(secret.revealBytes(), keyType)
      return key === null ? null : await decryptPassword(encrypted, key, keyType)
    } catch (error) {
      if (!(error instanceof SecretError)) throw error
      logger.debug({ error }, 'the key of captured passwords can not be read')
      return null
    }
  }
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
