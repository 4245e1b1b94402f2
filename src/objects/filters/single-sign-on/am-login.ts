import { type AmDialect, type LoginRedirect, markLoginRedirect } from '#contracts'
import { respond } from '#http'
import { loginParameters } from '../../lib/login/login-parameters.ts'
import type { RedirectionMarker } from '../../lib/login/redirection-marker.ts'

/** Login page of the access manager. */
interface LoginPage {
  /** The page, with an optional query. */
  readonly endpoint: string
  readonly realm: string
  /** Journey or service of the login. */
  readonly service: string | null
  readonly marker: RedirectionMarker
  dialect(): Promise<AmDialect>
}

/**
 * Redirects to the login page (protocol 7.1). `goto` and `realm` of the configured endpoint take precedence, except `goto` with an
 * advice, which takes effect only at the URL it was issued for.
 */
export function amLogin({ endpoint, realm, service, marker, dialect }: LoginPage): LoginRedirect {
  return {
    begin: async (status, goto, advice) => {
      const location = new URL(endpoint)
      const { searchParams } = location
      if (advice !== undefined || !searchParams.has('goto')) searchParams.set('goto', goto)
      if (!searchParams.has('realm')) searchParams.set('realm', realm)
      const parameters = loginParameters(await dialect(), service, advice)
      for (const [name, value] of Object.entries(parameters)) searchParams.set(name, value)
      return markLoginRedirect(respond(status, { Location: location.href, 'Cache-Control': 'no-store' }))
    },
    stripMarker: (uri) => void marker.removeFrom(uri),
  }
}
