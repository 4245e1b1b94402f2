import { randomBytes } from 'node:crypto'
import { type AmDialect, type AmService, type LoginAdvice, type LoginRedirect, markLoginRedirect } from '#contracts'
import { type Exchange, respond, type Uri } from '#http'
import { LoginCookies } from '../../lib/login/login-cookies.ts'
import { loginParameters } from '../../lib/login/login-parameters.ts'
import type { RedirectionMarker } from '../../lib/login/redirection-marker.ts'

/** Pending logins of browsers, each in a cookie with its state and nonce. */
export const LOGINS = new LoginCookies('gateway-cdsso-login', { isPosted: true })

/** Settings of redirects to the authorization endpoint of the access manager. */
export interface CrossDomainRedirectSettings {
  readonly amService: AmService
  readonly service: string | null
  readonly marker: RedirectionMarker
  /** Milliseconds since the epoch. */
  now(): number
}

/** Redirects to the authorization endpoint, whose response the browser posts to the redirect endpoint. */
export function crossDomainRedirect(
  exchange: Exchange,
  endpoint: Uri,
  settings: CrossDomainRedirectSettings,
): LoginRedirect {
  const { amService, marker } = settings
  return {
    begin: async (status, goto, advice) => {
      const dialect = await amService.dialect()
      const [state, nonce] = [random(), random()]
      const authorize = authorizeUrl(endpoint, settings)
      for (const [name, value] of Object.entries({ state, nonce })) authorize.searchParams.set(name, value)
      const location = advice === undefined ? authorize : withAdvice(authorize, amService, dialect, advice)
      const response = markLoginRedirect(respond(status, { Location: location.href, 'Cache-Control': 'no-store' }))
      LOGINS.add(response, exchange, { state, nonce, goto }, settings.now())
      return response
    },
    stripMarker: (uri) => void marker.removeFrom(uri),
  }
}

/** The authorization request, without state and nonce. */
export function authorizeUrl(
  endpoint: Uri,
  { amService, service }: Pick<CrossDomainRedirectSettings, 'amService' | 'service'>,
): URL {
  const location = new URL(amService.oauth2Uri('authorize').toString())
  const parameters = {
    client_id: amService.agent,
    response_type: 'id_token',
    scope: 'openid',
    response_mode: 'form_post',
    redirect_uri: endpoint.toString(),
    agent_provider: 'true',
    agent_realm: amService.realm,
    ...(service === null ? {} : { service }),
  }
  for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value)
  return location
}

/** PingAM accepts an advice at its authorization endpoint; OpenAM does not, so the login page comes first there. */
function withAdvice(authorize: URL, amService: AmService, dialect: AmDialect, advice: LoginAdvice): URL {
  const isOpenAm = dialect.family === 'openam'
  const location = isOpenAm ? new URL(`${amService.url}/`) : authorize
  const page = isOpenAm ? { goto: authorize.href, realm: amService.realm } : {}
  for (const [name, value] of Object.entries({ ...page, ...loginParameters(dialect, null, advice) }))
    location.searchParams.set(name, value)
  return location
}

function random(): string {
  return randomBytes(24).toString('base64url')
}
