import { type Exchange, InvalidUriError, normalPath, Uri } from '#http'
import type { Runtime } from '#schema'

/** Where requests are sent: a server, or one resource on it. */
export interface BaseUri {
  readonly server: Uri
  /** Replaces the path of the request; null leaves it as it is. */
  readonly rawPath: string | null
}

/** Reads a base URI; what a request could not be sent to is refused. */
export function parseBaseUri(text: string): BaseUri {
  const server = Uri.parse(text)
  if ((server.scheme !== 'http' && server.scheme !== 'https') || server.host === '') {
    throw refusal('a URI such as "https://app.example.com:8443"', text)
  }
  // Not shown: it may hold a password.
  if (server.userInfo !== null) throw new InvalidUriError('expected a URI without user information; add it by a filter')
  if (server.rawQuery !== null || server.rawFragment !== null) {
    throw refusal('a URI without query and fragment, as the query is that of the request', text)
  }
  // A slash alone is how people end the name of a server; it is not meant to replace every path by the root.
  if (server.rawPath === '' || server.rawPath === '/') return { server, rawPath: null }
  // Parts of a request may stand in it: what goes upstream is as normal as what came in (threats B1).
  const path = normalPath(server.rawPath)
  if ('problem' in path) throw new InvalidUriError(path.problem)
  return { server, rawPath: path.text }
}

/** The base of a literal, or null where it is known only with a request. */
export function literalBase(baseURI: Runtime<string>): BaseUri | null {
  const { expression } = baseURI
  return expression.constant ? parseBaseUri(String(expression.evaluate({ lookup: () => undefined }))) : null
}

/** The base for a request; an expression that gives none is a fault, as the request has no other place to go. */
export async function baseFor(baseURI: Runtime<string>, exchange: Exchange): Promise<BaseUri> {
  const text = await baseURI(exchange)
  if (text === null) throw new InvalidUriError(`baseURI: expected a URI, but ${baseURI.expression.source} is null`)
  try {
    return parseBaseUri(text)
  } catch (error) {
    throw new InvalidUriError(`baseURI ${baseURI.expression.source}: ${(error as Error).message}`)
  }
}

/** A child of the exchange whose request goes to the base; the request of the exchange itself is not touched. */
export function rebased(exchange: Exchange, { server, rawPath }: BaseUri): Exchange {
  const request = exchange.request.clone()
  request.uri.rebase(server)
  if (rawPath !== null) request.uri.rawPath = rawPath
  return exchange.withRequest(request)
}

function refusal(what: string, text: string): InvalidUriError {
  return new InvalidUriError(`expected ${what}, got ${JSON.stringify(text.slice(0, 80))}`)
}
