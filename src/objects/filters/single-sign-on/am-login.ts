import type { LoginWay } from '#contracts'
import { respond } from '#http'

/** Where users log in at the access manager. */
export interface LoginPage {
  /** The page, which may have a query of its own. */
  readonly endpoint: string
  readonly realm: string
  /** A journey or service that is to be used. */
  readonly service: string | null
}

/**
 * The way to the login page and back (protocol 7.1). What the endpoint says of `goto` and `realm` itself, stays; but an
 * advice is followed only by who comes back to the URL that is named with it.
 */
export function amLogin({ endpoint, realm, service }: LoginPage): LoginWay {
  return {
    begin: (status, goto, parameters) => {
      const location = new URL(endpoint)
      const { searchParams } = location
      const isAdvised = parameters['authIndexType'] !== undefined
      if (isAdvised || !searchParams.has('goto')) searchParams.set('goto', goto)
      if (!searchParams.has('realm')) searchParams.set('realm', realm)
      const how = service === null ? {} : { authIndexType: 'service', authIndexValue: service }
      for (const [name, value] of Object.entries({ ...how, ...parameters })) searchParams.set(name, value)
      return respond(status, { Location: location.href, 'Cache-Control': 'no-store' })
    },
  }
}
