import { type Exchange, InvalidUriError, normalizePath, Uri } from '#http'
import type { Runtime } from '#schema'
import { parseBase } from '../../lib/base-uri.ts'

/** Where the requests of a binding are sent: a server, or one resource on it. */
interface Target {
  readonly server: Uri
  /** Replaces the path of the request; null leaves it as it is. */
  readonly rawPath: string | null
}

/** Reads a base URI, null for an empty one; what a request could not be sent to is refused. */
export function parseTarget(text: string): Target | null {
  // Not shown, as it may hold a password.
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
  // A slash alone is how people end the name of a server; it is not meant to replace every path by the root.
  if (rawPath === '' || rawPath === '/') return { server: base.uri, rawPath: null }
  // Parts of a request may stand in it: what goes upstream is as normal as what came in (threats B1).
  const path = normalizePath(rawPath)
  if ('problem' in path) throw new InvalidUriError(path.problem)
  return { server: base.uri, rawPath: path.text }
}

/** The target for a request; an expression that gives none is a fault, as the request has no other place to go. */
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

/** A child of the exchange whose request goes to the target; the request of the exchange itself is not touched. */
export function sentTo(exchange: Exchange, target: Target | null): Exchange {
  if (target === null) return exchange
  const request = exchange.request.clone()
  request.uri.rebase(target.server)
  if (target.rawPath !== null) request.uri.rawPath = target.rawPath
  return exchange.withRequest(request)
}
