import { HandlerKind } from '#contracts'
import { Body, type Exchange, equalsIgnoreCase, type Handler, Headers, Response } from '#http'
import { appendPointer } from '#json'
import {
  byShape,
  config,
  defineType,
  type Environment,
  integer,
  list,
  listOrOne,
  map,
  type Runtime,
  runtime,
  string,
} from '#schema'
import { recordResponse } from '../../lib/audit/decisions.ts'
import { checkHeaderFields, constantText, warnOfFraming } from '../../lib/messages/header-fields.ts'
import { type HeaderFields, HeaderValues } from '../../lib/messages/header-values.ts'
import { EVENTS as LIB_EVENTS } from '../../lib/messages/log-events.ts'
import { CHARSETS, charsetOf, encodingFor } from './entity-encoding.ts'

/** Responds to every request with a configured response. */
export const StaticResponseHandler = defineType({
  name: 'StaticResponseHandler',
  kind: HandlerKind,
  summary: 'Returns a fixed response, with expressions in header values and entity.',
  events: [LIB_EVENTS.HEADER_LEFT_OUT],
  config: {
    status: config(integer({ min: 200, max: 999 })).meta({ description: 'Status code.' }),
    reason: config(string()).optional().meta({ description: 'Reason phrase; that of the status by default.' }),
    headers: map(listOrOne(runtime('string')))
      .default({})
      .meta({ description: 'Header names to values. A value that is null adds nothing.' }),
    trailers: map(listOrOne(runtime('string')))
      .default({})
      .meta({ description: 'Trailer names to values. A value that is null adds nothing.' }),
    entity: byShape({ string: runtime('string'), array: list(runtime('string')) })
      .optional()
      .meta({ description: 'Content: one string, or an array of strings that are joined by line breaks.' }),
    version: config(string()).optional().meta({
      description: 'HTTP version.',
      unsupported: 'the version of a response is that of its connection',
    }),
  },
  check({ status, reason, headers, trailers, entity }, report, warn) {
    if (entity !== undefined && (status === 204 || status === 205 || status === 304)) {
      warn(`the entity has no effect: a response of status ${status} has no content`)
    } else if (entity !== undefined && contentTypeName(headers) === undefined) {
      warn('the entity has no Content-Type, so that clients guess what it is; add the header')
    }
    warnOfFraming(Object.keys(headers), warn)
    if (reason !== undefined && /[^\t\x20-\x7e\x80-\xff]/.test(reason)) {
      report('/reason', 'expected text of one line without control characters')
    }
    checkHeaderFields('/headers', headers, report)
    checkHeaderFields('/trailers', trailers, report)
    if (entity !== undefined) checkCharset(headers, report)
  },
  create({ status, reason, headers, trailers, entity }, env) {
    const lines = entity === undefined ? null : [entity].flat()
    return answer({ status, reason, headers, trailers, entity: lines }, new HeaderValues(env), env)
  },
})

interface Settings {
  readonly status: number
  readonly reason: string | undefined
  readonly headers: HeaderFields
  readonly trailers: HeaderFields
  readonly entity: readonly Runtime<string>[] | null
}

function answer(
  { status, reason, headers, trailers, entity }: Settings,
  values: HeaderValues,
  env: Pick<Environment, 'name'>,
): Handler {
  const hasTrailers = Object.keys(trailers).length > 0
  return async (exchange) => {
    const response = new Response(status, reason === undefined ? {} : { reason })
    await values.addTo(response.headers, headers, exchange)
    if (hasTrailers) {
      response.trailers = new Headers()
      await values.addTo(response.trailers, trailers, exchange)
    }
    if (entity !== null) response.body = await content(entity, response.headers.get('content-type'), exchange)
    recordResponse(exchange, env, response, 'static response')
    return response
  }
}

async function content(
  lines: readonly Runtime<string>[],
  contentType: string | null,
  exchange: Exchange,
): Promise<Body> {
  const encode = encodingFor(contentType)
  if (encode === null) throw new TypeError(unknownCharset(contentType))
  const texts: string[] = []
  for (const line of lines) texts.push((await line(exchange)) ?? '')
  return Body.of(encode(texts.join('\n')))
}

/** Validates a literal charset at load, instead of failing each request. */
function checkCharset(headers: HeaderFields, report: (path: string, message: string) => void): void {
  const name = contentTypeName(headers)
  if (name === undefined) return
  for (const value of headers[name]!) {
    const literal = value.expression.constant ? constantText(value) : null
    if (encodingFor(literal) === null) report(appendPointer('/headers', name), unknownCharset(literal))
  }
}

function contentTypeName(headers: HeaderFields): string | undefined {
  return Object.keys(headers).find((name) => equalsIgnoreCase(name, 'content-type'))
}

function unknownCharset(contentType: string | null): string {
  return `expected a charset of ${CHARSETS}, got ${JSON.stringify(charsetOf(contentType)?.slice(0, 40))}`
}
