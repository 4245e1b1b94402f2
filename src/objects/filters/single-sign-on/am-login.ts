import type { AmDialect, LoginRedirect } from '#contracts'
import { respond } from '#http'
import { loginParameters } from '../../lib/sso/login-parameters.ts'
import type { RedirectionMarker } from '../../lib/sso/redirection-marker.ts'

/** Login page of the access manager. */
interface LoginPage {
  /** The page, which may have a query of its own. */
  readonly endpoint: string
  readonly realm: string
  /** A journey or service that is to be used. */
  readonly service: string | null
  readonly marker: RedirectionMarker
  dialect(): Promise<AmDialect>
}

/**
 * Redirects to the login page (protocol 7.1). `goto` and `realm` of the endpoint itself are kept, except `goto` with an advice,
 * which has effect only at the URL that it was given for.
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
      return respond(status, { Location: location.href, 'Cache-Control': 'no-store' })
    },
    stripMarker: (uri) => void marker.take(uri),
  }
}
