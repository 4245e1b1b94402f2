import { FilterKind } from '#contracts'
import { expandTemplate } from '#expression'
import { Entity, type Exchange, type Filter, Headers, type Message } from '#http'
import { type Assign, config, defineType, leftValue, list, object, oneOf, type Pattern, regex, string } from '#schema'
import { isCharset } from '../../lib/charset.ts'

/** Stores texts that patterns find in the content of a message. */
export const EntityExtractFilter = defineType({
  name: 'EntityExtractFilter',
  kind: FilterKind,
  summary: 'Finds texts in the content of a request or response by patterns, and stores them.',
  config: {
    messageType: config(oneOf(['REQUEST', 'RESPONSE'])).meta({ description: 'The message whose content is searched.' }),
    charset: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Character encoding of the content; by default that of its Content-Type, else UTF-8.' }),
    target: leftValue().meta({ description: 'Target of the texts by key, such as `${attributes.extracted}`.' }),
    bindings: list(
      object({
        key: config(string({ nonEmpty: true })).meta({ description: 'Key of the text.' }),
        pattern: regex().meta({ description: 'Pattern that is searched; the first match counts.' }),
        template: string().optional().meta({
          description: 'Text made of the match, with `$1` for its first group; by default the whole match.',
        }),
      }),
    )
      .default([])
      .meta({ description: 'The patterns and their keys.' }),
  },
  check: ({ charset, bindings }, report) => {
    if (charset !== undefined && !isCharset(charset))
      report('/charset', `expected a character encoding, got "${charset}"`)
    for (const [at, { pattern, template }] of bindings.entries()) {
      const problem = template === undefined ? null : templateProblem(pattern, template)
      if (problem !== null) report(`/bindings/${at}/template`, problem)
    }
  },
  create: ({ messageType, charset, target, bindings }) => {
    const extraction = { charset: charset ?? null, target, bindings }
    return messageType === 'REQUEST' ? fromRequest(extraction) : fromResponse(extraction)
  },
})

interface Extraction {
  readonly charset: string | null
  readonly target: Assign
  readonly bindings: readonly {
    readonly key: string
    readonly pattern: Pattern
    readonly template?: string | undefined
  }[]
}

function fromRequest(extraction: Extraction): Filter {
  return async (exchange, next) => {
    await extraction.target(exchange, null, await extracted(extraction, exchange, exchange.request, 'request'))
    return next(exchange)
  }
}

function fromResponse(extraction: Extraction): Filter {
  return async (exchange, next) => {
    const response = await next(exchange)
    try {
      await extraction.target(exchange, response, await extracted(extraction, exchange, response, 'response'))
      return response
    } catch (error) {
      response.body.cancel()
      throw error
    }
  }
}

/** Texts by key, null where a pattern is not found. Throws where the content exceeds the temporary storage or the limits for texts. */
async function extracted(
  { charset, bindings }: Extraction,
  exchange: Exchange,
  message: Message,
  subject: 'request' | 'response',
): Promise<Record<string, string | null>> {
  await message.body.bufferIfFits(exchange.storage)
  const text = new Entity(charset === null ? message : encodedIn(message, charset), subject).string
  const found: Record<string, string | null> = Object.create(null)
  for (const { key, pattern, template = '$0' } of bindings) {
    const match = pattern.find(text)
    found[key] = match === null ? null : expandTemplate(template, match)
  }
  return found
}

/** The same content in another encoding than its Content-Type says. */
function encodedIn({ headers, body, entityLimits }: Message, charset: string): Message {
  const described = Headers.fromRaw(headers.snapshot())
  described.set('Content-Type', `text/plain; charset=${charset}`)
  return { headers: described, body, entityLimits }
}

function templateProblem(pattern: Pattern, template: string): string | null {
  const { groupCount, names } = pattern.parsed
  try {
    expandTemplate(template, { groups: Array.from({ length: groupCount + 1 }, () => ''), names })
    return null
  } catch (error) {
    return (error as Error).message
  }
}
