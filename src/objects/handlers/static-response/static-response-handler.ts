import { HandlerKind } from '#contracts'
import { Body, type Exchange, type Handler, Headers, Response } from '#http'
import { appendPointer } from '#json'
import { byShape, config, defineType, integer, list, listOrOne, map, type Runtime, runtime, string } from '#schema'
import { CHARSETS, charsetOf, encodingFor } from './entity-encoding.ts'

/** Answers every request with one response. */
export const StaticResponseHandler = defineType({
  name: 'StaticResponseHandler',
  kind: HandlerKind,
  summary: 'Answers with a fixed response whose header values and entity may be expressions.',
  config: {
    status: config(integer({ min: 200, max: 999 })).meta({ description: 'Status code.' }),
    reason: config(string()).optional().meta({ description: 'Reason phrase; the usual one of the status by default.' }),
    headers: map(listOrOne(runtime('string')))
      .prefault({})
      .meta({ description: 'Header names to values. A value that is null adds nothing.' }),
    trailers: map(listOrOne(runtime('string')))
      .prefault({})
      .meta({ description: 'Trailer names to values. A value that is null adds nothing.' }),
    entity: byShape({ string: runtime('string'), array: list(runtime('string')) })
      .optional()
      .meta({ description: 'Content: one text, or an array of texts that are joined by line breaks.' }),
    version: config(string()).optional().meta({
      description: 'HTTP version.',
      unsupported: 'the version of a response is that of its connection',
    }),
  },
  check({ reason, headers, trailers, entity }, report) {
    if (reason !== undefined && /[^\t\x20-\x7e\x80-\xff]/.test(reason)) {
      report('/reason', 'expected text of one line without control characters')
    }
    checkFields('/headers', headers, report)
    checkFields('/trailers', trailers, report)
    if (entity !== undefined) checkCharset(headers, report)
  },
  create({ status, reason, headers, trailers, entity }, env) {
    if (entity !== undefined && (status === 204 || status === 205 || status === 304)) {
      env.warn(`the entity has no effect: a response of status ${status} has no content`)
    } else if (entity !== undefined && !Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')) {
      env.warn('the entity has no Content-Type, so that clients guess what it is; add the header')
    }
    return answer({
      status,
      reason,
      headers: fieldsOf(headers),
      trailers: fieldsOf(trailers),
      entity: entity === undefined ? null : [entity].flat(),
    })
  },
})

type FieldMap = Readonly<Record<string, readonly Runtime<string>[]>>
type Fields = readonly (readonly [name: string, value: Runtime<string>])[]

interface Settings {
  readonly status: number
  readonly reason: string | undefined
  readonly headers: Fields
  readonly trailers: Fields
  readonly entity: readonly Runtime<string>[] | null
}

function answer({ status, reason, headers, trailers, entity }: Settings): Handler {
  return async (exchange) => {
    const response = new Response(status, reason === undefined ? {} : { reason })
    await fill(response.headers, headers, exchange)
    if (trailers.length > 0) {
      response.trailers = new Headers()
      await fill(response.trailers, trailers, exchange)
    }
    if (entity !== null) response.body = await content(entity, response.headers.get('content-type'), exchange)
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

async function fill(target: Headers, fields: Fields, exchange: Exchange): Promise<void> {
  for (const [name, ask] of fields) {
    const value = await ask(exchange)
    if (value !== null) target.add(name, value)
  }
}

function fieldsOf(fields: FieldMap): Fields {
  return Object.keys(fields).flatMap((name) => fields[name]!.map((value) => [name, value] as const))
}

type Report = (path: string, message: string) => void

/** Names and literal values are known at load, so that a mistake in them shows there and not with each request. */
function checkFields(pointer: string, fields: FieldMap, report: Report): void {
  for (const [name, value] of fieldsOf(fields)) {
    try {
      new Headers().add(name, literal(value) ?? '')
    } catch (error) {
      report(appendPointer(pointer, name), (error as Error).message)
    }
  }
}

function checkCharset(headers: FieldMap, report: Report): void {
  for (const [name, value] of fieldsOf(headers)) {
    if (name.toLowerCase() !== 'content-type' || encodingFor(literal(value)) !== null) continue
    report(appendPointer('/headers', name), unknownCharset(literal(value)))
  }
}

/** The text of a value that is no expression. */
function literal({ expression }: Runtime<string>): string | null {
  return expression.constant ? String(expression.evaluate({ lookup: () => undefined })) : null
}

function unknownCharset(contentType: string | null): string {
  return `expected a charset of ${CHARSETS}, got ${JSON.stringify(charsetOf(contentType)?.slice(0, 40))}`
}
