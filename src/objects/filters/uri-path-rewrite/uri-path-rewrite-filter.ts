import { FilterKind, HandlerKind } from '#contracts'
import { type Exchange, type Filter, type Handler, normalizePath, type Response, respond } from '#http'
import { defineType, ref } from '#schema'
import { namesOwnServer, splitReference } from '../lib/own-server.ts'
import { mappings } from './mappings-field.ts'
import type { Mapping, PathMap } from './path-map.ts'

/** Rewrites the path of requests, and of references in responses. */
export const UriPathRewriteFilter = defineType({
  name: 'UriPathRewriteFilter',
  kind: FilterKind,
  summary: 'Replaces prefixes of request paths, and reverts them in response headers.',
  diverts: { failureHandler: [] },
  config: {
    mappings: mappings().meta({
      description: 'Path prefix of the client to path prefix of the application; the longest match is used.',
    }),
    failureHandler: ref(HandlerKind)
      .optional()
      .meta({ description: 'Handles requests whose path can not be rewritten; an empty 500 by default.' }),
  },
  create: ({ mappings, failureHandler }) => rewritePath(mappings, failureHandler ?? (async () => respond(500))),
})

/** Paths are compared and sent in one normal form, so that another spelling can not bypass a mapping. */
function rewritePath(paths: PathMap, failure: Handler): Filter {
  return async (exchange, next) => {
    const { rawPath } = exchange.request.uri
    if (rawPath === '*') return next(exchange)
    const path = normalizePath(rawPath === '' ? '/' : rawPath)
    if ('problem' in path) return failure(exchange)
    const mapping = paths.forward(path.text)
    const sent = mapping === null ? exchange : withPath(exchange, replaced(path.text, mapping.from, mapping.to))
    const response = await next(sent)
    putBack(response, 'Location', (value) => originalReference(value, sent, paths, mapping))
    putBack(response, 'Content-Location', (value) => originalReference(value, sent, paths, mapping))
    return response
  }
}

/** Sets the path on a copy, so that a retry by an earlier filter does not rewrite it twice. */
function withPath(exchange: Exchange, path: string): Exchange {
  const request = exchange.request.clone()
  request.uri.rawPath = path
  return exchange.withRequest(request)
}

/** The result is in normal form: both paths are, and the prefix ends at a slash. */
function replaced(path: string, prefix: string, replacement: string): string {
  return `${replacement}${path.slice(prefix.length)}` || '/'
}

function putBack(response: Response, header: string, map: (value: string) => string): void {
  const values = response.headers.all(header)
  const mapped = values.map(map)
  if (mapped.some((value, at) => value !== values[at])) response.headers.set(header, mapped)
}

/** A reference to the application in the paths of the client. References to other servers are unchanged. */
function originalReference(value: string, exchange: Exchange, paths: PathMap, served: Mapping | null): string {
  const reference = splitReference(value)
  if (reference.path === '' || (reference.server !== '' && !namesOwnServer(reference, exchange))) return value
  const path = absolute(reference.path, exchange.request.uri.rawPath)
  const mapping = paths.back(path, served)
  return mapping === null ? value : `${reference.server}${replaced(path, mapping.to, mapping.from)}${reference.rest}`
}

/** RFC 3986 section 5.2.3. A path without a normal form is unchanged: no access decision depends on it. */
function absolute(path: string, base: string): string {
  const merged = path.startsWith('/') ? path : `${base.slice(0, base.lastIndexOf('/') + 1) || '/'}${path}`
  const normal = normalizePath(merged)
  return 'text' in normal ? normal.text : merged
}
