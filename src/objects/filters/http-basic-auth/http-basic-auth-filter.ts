import { FilterKind, HandlerKind } from '#contracts'
import type { Exchange, Filter, Handler, Request, Response } from '#http'
import { bufferForReplay } from '#resilience'
import { boolean, config, defineType, type Environment, type Runtime, ref, runtime } from '#schema'
import { recordStatus } from '../../lib/audit/decisions.ts'
import { basicField } from '../../lib/outbound-auth/basic-credentials.ts'
import { claimContent, dropContentOfOthers, SENT_CREDENTIALS } from '../../lib/sessions/application-content.ts'

/** Logs users in at an application that demands HTTP Basic. */
export const HttpBasicAuthFilter = defineType({
  name: 'HttpBasicAuthFilter',
  kind: FilterKind,
  summary: 'Logs the user in to an application with HTTP Basic.',
  diverts: { failureHandler: [] },
  config: {
    username: runtime('string').meta({ description: 'The user name, such as `${attributes.credentials.username}`.' }),
    password: runtime('string').meta({ description: 'The password.' }),
    failureHandler: ref(HandlerKind).meta({
      description: 'Handles requests for which there are no credentials, or whose credentials the application rejects.',
    }),
    cacheHeader: config(boolean()).default(true).meta({
      description:
        'Whether accepted credentials are kept in the session and sent with further requests of the same user to the same server; otherwise the expressions are evaluated for each.',
    }),
  },
  create: ({ username, password, failureHandler, cacheHeader }, env) =>
    sendCredentials({ username, password, failureHandler, isCached: cacheHeader, env }),
})

/** A response below it shows that the application accepted the credentials; an error may come before it looks at them. */
const FIRST_ERROR = 400

interface Settings {
  readonly username: Runtime<string>
  readonly password: Runtime<string>
  readonly failureHandler: Handler
  readonly isCached: boolean
  /** For its name in decisions. */
  readonly env: Pick<Environment, 'name'>
}

/**
 * Sends each request with credentials, without waiting for a challenge, as OpenIG was seen to do. Where the application rejects
 * those of the session, it is sent once more with evaluated ones.
 */
function sendCredentials(settings: Settings): Filter {
  return async (exchange, next) => {
    const key = sessionKey(exchange.request)
    dropContentOfOthers(exchange)
    const kept = settings.isCached ? exchange.existingSession?.get(key) : null
    const stored = typeof kept === 'string' ? kept : null
    const isReplayable = stored !== null && (await bufferForReplay(exchange, true))
    const attempt = async (credentials: string | null): Promise<Response | null> => {
      if (credentials === null) return null
      const response = await next(withAuthorization(exchange, credentials))
      if (response.status !== 401) {
        if (settings.isCached && credentials !== stored && response.status < FIRST_ERROR) {
          exchange.session.set(key, credentials)
          claimContent(exchange)
        }
        return withoutChallenge(response)
      }
      // The response of the failure handler, or of the second attempt, replaces it.
      response.body.cancel()
      return null
    }
    const first = await attempt(stored ?? (await credentialsOf(settings, exchange)))
    if (first !== null) return first
    if (stored !== null) {
      const fresh = await credentialsOf(settings, exchange)
      const second = isReplayable && fresh !== stored ? await attempt(fresh) : null
      if (second !== null) return second
      exchange.session.delete(key)
    }
    recordStatus(exchange, settings.env, 401, 'no credentials that the application accepts')
    return settings.failureHandler(withAuthorization(exchange, null))
  }
}

/** Null where an expression is null. Throws for a name or password that Basic credentials can not contain. */
async function credentialsOf({ username, password }: Settings, exchange: Exchange): Promise<string | null> {
  const name = await username(exchange)
  const word = await password(exchange)
  return name === null || word === null ? null : basicField(name, word)
}

/** Credentials of one server are never sent to another. */
function sessionKey({ uri: { scheme, host, port } }: Request): string {
  return `${SENT_CREDENTIALS}${scheme}:${host}:${port}`
}

/** The Authorization of the client is that of the gateway, not of the application. */
function withAuthorization(exchange: Exchange, credentials: string | null): Exchange {
  const request = exchange.request.clone()
  if (credentials === null) request.headers.delete('Authorization')
  else request.headers.set('Authorization', credentials)
  return exchange.withRequest(request)
}

function withoutChallenge(response: Response): Response {
  response.headers.delete('WWW-Authenticate')
  return response
}
