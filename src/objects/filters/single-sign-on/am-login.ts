import type { AmDialect, LoginWay } from '#contracts'
import { respond } from '#http'
import { loginParameters } from '../../lib/sso/login-parameters.ts'
import type { RedirectionMarker } from '../../lib/sso/redirection-marker.ts'

/** Where users log in at the access manager. */
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
 * The way to the login page and back (protocol 7.1). What the endpoint says of `goto` and `realm` itself, stays; but an
 * advice is followed only by who comes back to the URL that is named with it.
 */
export function amLogin({ endpoint, realm, service, marker, dialect }: LoginPage): LoginWay {
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
