import { type Exchange, InvalidUriError, normalizePath, Uri } from '#http'
import type { Runtime } from '#schema'
import { parseBase } from '../../lib/messages/base-uri.ts'

/** Target of the requests of a binding: a server, or one resource on it. */
interface Target {
  readonly server: Uri
  /** Replaces the path of the request; null leaves it unchanged. */
  readonly rawPath: string | null
}

/** Parses a base URI; null for an empty one. Throws for a URI to which no request can be sent. */
export function parseTarget(text: string): Target | null {
  // Not in the message, since it may contain a password.
  if (/^[^/?#]*\/\/[^/?#]*@/.test(text)) {
    throw new InvalidUriError('expected a base URI without user information; add it by a filter')
  }
  const base = parseBase(text)
  if ('problem' in base) throw new InvalidUriError(base.problem)
  if (base.uri === null) return null
  const { rawPath, rawQuery, rawFragment } = Uri.parse(text)
  if (rawQuery !== null || rawFragment !== null) {
    const got = JSON.stringify(text.slice(0, 80))
    throw new InvalidUriError(`expected a base URI without query and fragment, as the query stays, got ${got}`)
  }
  // A single slash after the authority does not replace the path of requests.
  if (rawPath === '' || rawPath === '/') return { server: base.uri, rawPath: null }
  // It may contain parts of a request: the path sent upstream is normalized (threats B1).
  const path = normalizePath(rawPath)
  if ('problem' in path) throw new InvalidUriError(path.problem)
  return { server: base.uri, rawPath: path.text }
}

/** The target for a request; null from an expression is a fault, since the request has no other target. */
export async function targetFor(baseURI: Runtime<string>, exchange: Exchange): Promise<Target | null> {
  const { source } = baseURI.expression
  const text = await baseURI(exchange)
  if (text === null) throw new InvalidUriError(`baseURI ${source}: expected a base URI, got null`)
  try {
    return parseTarget(text)
  } catch (error) {
    throw new InvalidUriError(`baseURI ${source}: ${(error as Error).message}`)
  }
}

/** A child of the exchange whose request has the target; the request of the exchange itself is unchanged. */
export function withTarget(exchange: Exchange, target: Target | null): Exchange {
  if (target === null) return exchange
  const request = exchange.request.clone()
  request.uri.rebase(target.server)
  if (target.rawPath !== null) request.uri.rawPath = target.rawPath
  return exchange.withRequest(request)
}
