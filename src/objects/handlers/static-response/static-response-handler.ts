import { HandlerKind } from '#contracts'
import { Body, type Exchange, type Handler, Headers, Response } from '#http'
import { byShape, config, defineType, integer, list, listOrOne, map, type Runtime, runtime, string } from '#schema'

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
      .meta({ description: 'Trailer names to values.' }),
    entity: byShape({ string: runtime('string'), array: list(runtime('string')) })
      .optional()
      .meta({ description: 'Content: one text, or an array of texts that are joined by line breaks.' }),
    version: config(string()).optional().meta({
      description: 'HTTP version.',
      unsupported: 'the version of a response is that of its connection',
    }),
  },
  create: ({ status, reason, headers, trailers, entity }) =>
    answer({ status, reason, headers, trailers, entity: entity === undefined ? [] : [entity].flat() }),
})

interface Settings {
  readonly status: number
  readonly reason: string | undefined
  readonly headers: Readonly<Record<string, readonly Runtime<string>[]>>
  readonly trailers: Readonly<Record<string, readonly Runtime<string>[]>>
  readonly entity: readonly Runtime<string>[]
}

function answer({ status, reason, headers, trailers, entity }: Settings): Handler {
  return async (exchange) => {
    const response = new Response(status, reason === undefined ? {} : { reason })
    await fill(response.headers, headers, exchange)
    if (Object.keys(trailers).length > 0) {
      response.trailers = new Headers()
      await fill(response.trailers, trailers, exchange)
    }
    if (entity.length > 0) {
      const lines = await Promise.all(entity.map((line) => line(exchange)))
      response.body = Body.of(lines.map((line) => line ?? '').join('\n'))
    }
    return response
  }
}

async function fill(
  target: Headers,
  source: Readonly<Record<string, readonly Runtime<string>[]>>,
  exchange: Exchange,
): Promise<void> {
  for (const [name, values] of Object.entries(source)) {
    for (const ask of values) {
      const value = await ask(exchange)
      if (value !== null) target.add(name, value)
    }
  }
}
