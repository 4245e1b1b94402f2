import { type Handler, type Request, TOKEN_CHARACTERS } from '#http'
import { config, string } from '#schema'

// A token, or a host with a port (RFC 9110 section 7.6.3).
const PSEUDONYM = new RegExp(String.raw`^[${TOKEN_CHARACTERS}]{1,128}(?::\d{1,5})?$`)

/** The field `via`. */
export const VIA_FIELD = config(string({ nonEmpty: true }))
  .optional()
  .meta({
    description:
      'Name of the gateway in the Via field of requests and responses that it forwards, such as `gateway`. Not set: no Via is added.',
  })

/** Reports an invalid pseudonym. */
export function checkVia(via: string | undefined, report: (path: string, message: string) => void): void {
  if (via === undefined || PSEUDONYM.test(via)) return
  report('/via', `expected a token, or a host with a port, got ${JSON.stringify(via)}`)
}

/** Adds the gateway to Via of requests and responses (RFC 9110 section 7.6.3), once to a request that is retried. */
export function addVia(send: Handler, pseudonym: string): Handler {
  const named = new WeakSet<Request>()
  return async (exchange) => {
    const { request } = exchange
    if (!named.has(request)) request.headers.add('Via', entry(request.version, pseudonym))
    named.add(request)
    const response = await send(exchange)
    response.headers.add('Via', entry(response.version, pseudonym))
    return response
  }
}

/** With the version in which the message was received. */
function entry(version: string, pseudonym: string): string {
  return `${version.replace(/^HTTP\//, '')} ${pseudonym}`
}
