import { FilterKind } from '#contracts'
import { EvaluationError } from '#expression'
import { defaultPort, type Exchange, type Filter, parseAuthority, RouterContext, type Uri } from '#http'
import { atLeastOneOf, byShape, defineType, integer, type Runtime, runtime } from '#schema'

/** Corrects the original URI where the gateway is behind another proxy. */
export const ForwardedRequestFilter = defineType({
  name: 'ForwardedRequestFilter',
  kind: FilterKind,
  summary: 'Sets scheme, host and port of the original URI behind a proxy.',
  config: {
    scheme: runtime('string')
      .optional()
      .meta({ description: 'Scheme of the original URI: http or https. Null leaves it unchanged.' }),
    host: runtime('string')
      .optional()
      .meta({ description: 'Host of the original URI, without a port. Null leaves it unchanged.' }),
    port: byShape({ number: integer({ min: 1, max: 65_535 }), string: runtime('string') })
      .optional()
      .meta({ description: 'Port of the original URI. Null leaves it unchanged.' }),
  },
  rules: [atLeastOneOf('scheme', 'host', 'port')],
  check: ({ scheme, host, port }, report) => {
    checkFixed('scheme', scheme, schemeOf, report)
    checkFixed('host', host, hostOf, report)
    if (typeof port !== 'number') checkFixed('port', port, portOf, report)
  },
  create: ({ scheme, host, port }) =>
    correctOriginalUri({
      scheme: scheme === undefined ? null : (exchange) => evaluated('scheme', scheme, schemeOf, exchange),
      host: host === undefined ? null : (exchange) => evaluated('host', host, hostOf, exchange),
      port:
        port === undefined
          ? null
          : (exchange) => (typeof port === 'number' ? port : evaluated('port', port, portOf, exchange)),
    }),
})

type Part<T> = ((exchange: Exchange) => T | null | Promise<T | null>) | null

interface Parts {
  readonly scheme: Part<string>
  readonly host: Part<string>
  readonly port: Part<number>
}

/** Later filters and handlers see the corrected URI; the URI of the request itself is unchanged. */
function correctOriginalUri(parts: Parts): Filter {
  return async (exchange, next) => {
    const scheme = (await parts.scheme?.(exchange)) ?? null
    const host = (await parts.host?.(exchange)) ?? null
    const port = (await parts.port?.(exchange)) ?? null
    if (scheme === null && host === null && port === null) return next(exchange)
    const uri = exchange.originalUri.clone()
    if (scheme !== null) uri.scheme = scheme
    if (host !== null) uri.host = host
    if (port !== null) uri.port = port
    if (uri.port === defaultPort(uri.scheme)) uri.port = -1
    return next(withOriginalUri(exchange, uri))
  }
}

/** The context of an outer router has a copy of the URI, which is corrected too. */
function withOriginalUri(exchange: Exchange, originalUri: Uri): Exchange {
  const router = exchange.context(RouterContext)
  const corrected = exchange.withOriginalUri(originalUri)
  return router === null ? corrected : corrected.with(RouterContext, { ...router, originalUri })
}

type Read<T> = (text: string) => { readonly value: T } | { readonly expected: string }

function schemeOf(text: string): ReturnType<Read<string>> {
  return /^https?$/i.test(text) ? { value: text.toLowerCase() } : { expected: 'http or https' }
}

function hostOf(text: string): ReturnType<Read<string>> {
  const authority = parseAuthority(text)
  if ('problem' in authority || authority.port >= 0) return { expected: 'a host name or address without a port' }
  return { value: authority.host }
}

function portOf(text: string): ReturnType<Read<number>> {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  return port >= 1 && port <= 65_535 ? { value: port } : { expected: 'a port from 1 to 65535' }
}

async function evaluated<T>(
  name: string,
  evaluate: Runtime<string>,
  read: Read<T>,
  exchange: Exchange,
): Promise<T | null> {
  const text = await evaluate(exchange)
  if (text === null) return null
  const result = read(text)
  if ('value' in result) return result.value
  throw new EvaluationError(`${name}: ${evaluate.expression.source} gave a bad value: expected ${result.expected}`)
}

function checkFixed(
  name: string,
  evaluate: Runtime<string> | undefined,
  read: Read<unknown>,
  report: (path: string, message: string) => void,
): void {
  if (!evaluate?.expression.constant) return
  const text = String(evaluate.expression.evaluate({ lookup: () => undefined }))
  const result = read(text)
  if ('expected' in result) report(`/${name}`, `expected ${result.expected}, got ${JSON.stringify(text.slice(0, 80))}`)
}
