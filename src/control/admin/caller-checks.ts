import { type Filter, isCrossOrigin, SAFE_METHODS, withoutBrackets } from '#http'
import { refusal } from './recorded-refusals.ts'

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]', '::1'])

/**
 * Rejects requests with a foreign Host, by which a web page could access a loopback port after DNS rebinding (threats
 * B84), and cross-origin changes.
 */
export function callerChecks(ownHost: string, allowedHosts: readonly string[]): Filter {
  const allowed = new Set([...LOOPBACK_NAMES, ownHost.toLowerCase(), ...allowedHosts.map((host) => host.toLowerCase())])
  return async (exchange, next) => {
    const { request, client } = exchange
    // The local address of the connection is safe: DNS rebinding applies to names, not to addresses.
    const host = request.uri.host.toLowerCase()
    if (!allowed.has(host) && withoutBrackets(host) !== client.localAddress) {
      return refusal(
        403,
        'the Host header does not name this connector; add the name to adminConnector.allowedHosts to use it',
      )
    }
    if (!SAFE_METHODS.has(request.method) && isCrossOrigin(request)) {
      return refusal(403, 'changes are not taken from pages of another origin')
    }
    return next(exchange)
  }
}
