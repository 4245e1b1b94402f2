import { FilterKind } from '#contracts'
import type { Exchange, Filter, Response, Uri } from '#http'
import { config, defineType, list, string } from '#schema'
import { type BaseUri, baseUri } from '../../lib/messages/base-uri.ts'
import { namesOwnServer, parseServerName, type ServerName, splitReference } from '../lib/own-server.ts'

/** Rewrites redirects of the application, so that they do not bypass the gateway. */
export const LocationHeaderFilter = defineType({
  name: 'LocationHeaderFilter',
  aliases: ['RedirectFilter'],
  kind: FilterKind,
  summary: 'Rewrites Location headers that point to the application, so that they point to the gateway.',
  config: {
    baseURI: baseUri().optional().meta({
      description: 'Scheme, host and port of the gateway as clients see it; those of the original request by default.',
    }),
    applicationNames: list(config(string())).default([]).meta({
      description:
        'Further names of the application in its redirects, such as `app.internal:8080` or `https://app.internal`. Without a port, that of the scheme.',
    }),
  },
  check: ({ applicationNames }, report) => {
    for (const [at, name] of applicationNames.entries()) {
      const parsed = parseServerName(name)
      if ('problem' in parsed) report(`/applicationNames/${at}`, parsed.problem)
    }
  },
  create: ({ baseURI, applicationNames }) =>
    rebaseLocation(
      baseURI ?? null,
      applicationNames.map((name) => parseServerName(name) as ServerName),
    ),
})

/** Replaces scheme and authority of each Location that points to the application. */
function rebaseLocation(base: BaseUri | null, names: readonly ServerName[]): Filter {
  return async (exchange, next) => {
    const response = await next(exchange)
    const locations = response.headers.all('location')
    if (locations.length === 0) return response
    const uri = await baseFor(base, exchange, response)
    if (uri === null) return response
    const rebased = locations.map((location) => rebasedLocation(location, uri, exchange, names))
    if (rebased.some((location, at) => location !== locations[at])) response.headers.set('Location', rebased)
    return response
  }
}

async function baseFor(base: BaseUri | null, exchange: Exchange, response: Response): Promise<Uri | null> {
  if (base === null) return exchange.originalUri
  try {
    return await base(exchange, response)
  } catch (error) {
    response.body.cancel()
    throw error
  }
}

function rebasedLocation(location: string, base: Uri, exchange: Exchange, names: readonly ServerName[]): string {
  const reference = splitReference(location)
  return namesOwnServer(reference, exchange, names) ? `${base.origin}${reference.path}${reference.rest}` : location
}
