import { createHash } from 'node:crypto'
import { type ClientRegistration, SessionUnavailableError } from '#contracts'
import {
  type Exchange,
  type LoginMoment,
  mediaType,
  parseForm,
  type Response,
  respond,
  type SessionRevocations,
} from '#http'
import {
  isForAudience,
  MAX_TOKEN_LENGTH,
  parseSignedToken,
  parseToken,
  readClaims,
  TOKEN_KINDS,
  TokenError,
  violations,
} from '#jose'
import type { JsonObject } from '#json'
import type { Logger } from '#logging'
import { OpenIdError } from '#openid'
import type { Clock } from '#schema'
import { configWarning } from '#schema'
import { EVENTS } from '../log-events.ts'
import { issuedAt, revokedSubjects } from './login-identity.ts'

/** Maximum difference of `iat` from now, in milliseconds. */
const IAT_WINDOW = TOKEN_KINDS.logoutToken.issuedAhead
/** A token is accepted for twice the window at most; its `jti` is stored for longer. */
const JTI_LIFETIME = 2 * IAT_WINDOW + 60_000
const MAX_FORM = MAX_TOKEN_LENGTH + 4_096

interface LogoutEndpointSettings {
  readonly registrations: readonly ClientRegistration[]
  readonly clock: Clock
  readonly logger: Logger
}

/** A rejected logout request, with the description for the provider. */
class LogoutRefused extends Error {}

/**
 * `POST <clientEndpoint>/backchannel-logout` with the form field `logout_token`: ends the logins of a session or a user at
 * the provider (OpenID Connect Back-Channel Logout 1.0). A logout that fails is 400 as well (section 2.8).
 */
export async function backChannelLogout(exchange: Exchange, settings: LogoutEndpointSettings): Promise<Response> {
  if (exchange.request.method !== 'POST') return respond(405, { Allow: 'POST', 'Cache-Control': 'no-store' })
  try {
    await logOut(exchange, settings)
    return respond(200, { 'Cache-Control': 'no-store' })
  } catch (error) {
    return refusal(error, settings.logger)
  }
}

async function logOut(exchange: Exchange, settings: LogoutEndpointSettings): Promise<void> {
  const { clock, logger } = settings
  const { revocations } = exchange.session
  if (revocations === undefined) throw new Error('the route has no session manager: there are no sessions to end')
  const text = await signedToken(await logoutToken(exchange), settings.registrations)
  const { claims, clientIds } = await trusted(text, settings)
  const moment = { issuedAt: issuedAt(claims), at: clock.now() }
  const ended: string[] = []
  for (const clientId of clientIds) if (await endLogins(revocations, claims, clientId, moment)) ended.push(clientId)
  if (ended.length === 0) throw new LogoutRefused('the logout token was used before')
  warnOfLimits(revocations, logger)
  logger.debug({ issuer: claims['iss'], clientIds: ended }, 'sessions ended by a logout token')
}

/** Ends the logins of one client; false where the token has ended them before. */
async function endLogins(
  revocations: SessionRevocations,
  claims: JsonObject,
  clientId: string,
  moment: LoginMoment,
): Promise<boolean> {
  const jti = digest([claims['iss'], clientId, claims['jti']])
  if (!(await revocations.claim(jti, JTI_LIFETIME))) return false
  try {
    await revocations.revoke(revokedSubjects(claims, clientId), moment)
    return true
  } catch (error) {
    // The provider may send the token again.
    await revocations.release(jti).catch(() => {})
    throw error
  }
}

function warnOfLimits({ isShared }: SessionRevocations, logger: Logger): void {
  if (isShared) return
  const message =
    'logout token recorded in the memory of this gateway only: sessions in cookies stay valid at other gateways and after a restart; configure "revocations" of AuthenticatedEncryptedJwtSessionManager'
  logger.limited('', 3_600_000).warn(configWarning(message))
}

async function logoutToken({ request }: Exchange): Promise<string> {
  if (mediaType(request.headers) !== 'application/x-www-form-urlencoded')
    throw new LogoutRefused('expected a form (application/x-www-form-urlencoded)')
  const content = await request.body.read(MAX_FORM).catch(() => {
    throw new LogoutRefused(`expected a form of ${MAX_FORM} bytes at most`)
  })
  const values = parseForm(Buffer.from(content).toString('latin1'), { maxFields: 100 })['logout_token'] ?? []
  if (values.length !== 1 || !values[0]) throw new LogoutRefused('expected the field logout_token once')
  return values[0]
}

/** The token, decrypted where it is encrypted for a client of this endpoint. */
async function signedToken(text: string, registrations: readonly ClientRegistration[]): Promise<string> {
  if (parseToken(text).form === 'signed') return text
  for (const registration of registrations) {
    const content = await registration.decrypt(text).catch((error: unknown) => {
      if (error instanceof OpenIdError && !error.unavailable) return null
      throw error
    })
    if (content !== null) return content
  }
  throw new LogoutRefused('the token can not be decrypted')
}

/** The claims of a token signed by a provider of this filter, and the clients it is for. The signature is verified last. */
async function trusted(text: string, { registrations, clock }: LogoutEndpointSettings) {
  const token = parseSignedToken(text)
  const claims = readClaims(token.payload)
  const skew = Math.max(...registrations.map(({ issuer }) => issuer.idTokenSkew))
  const times = { now: clock.now(), skew, maxAge: IAT_WINDOW }
  const [violation] = violations(token.header, claims, { kind: 'logoutToken', times })
  if (violation !== undefined) throw new LogoutRefused(violation.message)
  const clientIds = new Set<string>()
  const failures: unknown[] = []
  for (const registration of registrations.filter(({ clientId }) => isForAudience(claims, [clientId]))) {
    try {
      if (await isClientOf(registration, text, claims)) clientIds.add(registration.clientId)
    } catch (error) {
      // Of another server with the same client id perhaps, or of a client with another secret.
      failures.push(error)
    }
  }
  if (clientIds.size > 0) return { claims, clientIds }
  throw failures[0] ?? new LogoutRefused('the claims iss and aud name no client of this endpoint')
}

/** Whether the provider of a registration has issued the token; throws where it is not known, and where its signature is wrong. */
async function isClientOf(registration: ClientRegistration, text: string, claims: JsonObject): Promise<boolean> {
  if ((await registration.issuer.metadata()).issuer !== claims['iss']) return false
  const unsigned = await registration.signatureProblem(text)
  if (unsigned !== null) throw new LogoutRefused(unsigned)
  return true
}

function refusal(error: unknown, logger: Logger): Response {
  if (error instanceof LogoutRefused || error instanceof TokenError) {
    logger.limited(error.message).warn({ reason: error.message }, EVENTS.LOGOUT_TOKEN_REFUSED)
    return refused('invalid_request', error.message)
  }
  const isOutage = error instanceof SessionUnavailableError || (error instanceof OpenIdError && error.unavailable)
  logger.limited(error).error({ error }, EVENTS.LOGOUT_FAILED)
  if (isOutage) return refused('temporarily_unavailable', 'the log-out could not be recorded; send it again')
  return refused('server_error', 'the log-out could not be processed')
}

function refused(error: string, description: string): Response {
  return respond(
    400,
    { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    JSON.stringify({ error, error_description: description }),
  )
}

function digest(names: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(names)).digest('base64url')
}
