import { FilterKind, HandlerKind } from '#contracts'
import { type Exchange, type Filter, type Handler, normalizePath, type Response, respond } from '#http'
import { defineType, ref } from '#schema'
import { cutReference, namesOwnServer } from '../lib/own-server.ts'
import { mappings } from './mappings-field.ts'
import type { Mapping, PathMap } from './path-map.ts'

/** Moves parts of the path space of an application. */
export const UriPathRewriteFilter = defineType({
  name: 'UriPathRewriteFilter',
  kind: FilterKind,
  summary: 'Replaces the beginning of the path of a request, and puts it back in what the response refers to.',
  config: {
    mappings: mappings().meta({
      description: 'Path as the client writes it, to path as the application knows it; the longest that fits is used.',
    }),
    failureHandler: ref(HandlerKind)
      .optional()
      .meta({ description: 'Answers where the path can not be rewritten; an empty 500 by default.' }),
  },
  create: ({ mappings, failureHandler }) => rewritePath(mappings, failureHandler ?? (async () => respond(500))),
})

/** Paths are compared and sent in one normal form: there is no second spelling to slip through with. */
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

/** On a copy, so that a filter before this one that asks again does not have the path rewritten twice. */
function withPath(exchange: Exchange, path: string): Exchange {
  const request = exchange.request.clone()
  request.uri.rawPath = path
  return exchange.withRequest(request)
}

/** Both paths are normal and the cut is at a slash, so the result is normal too. */
function replaced(path: string, prefix: string, replacement: string): string {
  return `${replacement}${path.slice(prefix.length)}` || '/'
}

function putBack(response: Response, header: string, map: (value: string) => string): void {
  const values = response.headers.all(header)
  const mapped = values.map(map)
  if (mapped.some((value, at) => value !== values[at])) response.headers.set(header, mapped)
}

/** A reference to the application as the client must write it. References to other servers are left alone. */
function originalReference(value: string, exchange: Exchange, paths: PathMap, served: Mapping | null): string {
  const reference = cutReference(value)
  if (reference.path === '' || (reference.server !== '' && !namesOwnServer(reference, exchange))) return value
  const path = absolute(reference.path, exchange.request.uri.rawPath)
  const mapping = paths.back(path, served)
  return mapping === null ? value : `${reference.server}${replaced(path, mapping.to, mapping.from)}${reference.rest}`
}

/** RFC 3986 section 5.2.3. What has no normal form is taken as it is: nothing is decided by it. */
function absolute(path: string, base: string): string {
  const merged = path.startsWith('/') ? path : `${base.slice(0, base.lastIndexOf('/') + 1) || '/'}${path}`
  const normal = normalizePath(merged)
  return 'text' in normal ? normal.text : merged
}
