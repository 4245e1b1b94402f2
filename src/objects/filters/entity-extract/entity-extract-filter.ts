import { expandTemplate, MatchError } from '@identity-gateway/regex'
import { FilterKind } from '#contracts'
import {
  ContentCodingError,
  Entity,
  EntityTooLargeError,
  type Exchange,
  type Filter,
  Headers,
  type Message,
  Response,
  respond,
} from '#http'
import type { Logger } from '#logging'
import { type Assign, config, defineType, leftValue, list, object, oneOf, type Pattern, regex, string } from '#schema'
import { isCharset } from '../../lib/messages/charset.ts'
import { EVENTS } from '../log-events.ts'

/** Stores texts that patterns find in the content of a message. */
export const EntityExtractFilter = defineType({
  name: 'EntityExtractFilter',
  kind: FilterKind,
  summary: 'Extracts text from the content of requests or responses by regular expressions.',
  events: [EVENTS.CONTENT_NOT_SEARCHED],
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
  create: ({ messageType, charset, target, bindings }, { logger }) => {
    const extraction = { charset: charset ?? null, target, bindings, logger }
    return messageType === 'REQUEST' ? fromRequest(extraction) : fromResponse(extraction)
  },
})

type Subject = 'request' | 'response'

interface Extraction {
  readonly charset: string | null
  readonly target: Assign
  readonly bindings: readonly {
    readonly key: string
    readonly pattern: Pattern
    readonly template?: string | undefined
  }[]
  readonly logger: Logger
}

function fromRequest(extraction: Extraction): Filter {
  return async (exchange, next) => {
    const found = await extracted(extraction, exchange, exchange.request, 'request')
    if (found instanceof Response) return found
    await extraction.target(exchange, null, found)
    return next(exchange)
  }
}

function fromResponse(extraction: Extraction): Filter {
  return async (exchange, next) => {
    const response = await next(exchange)
    try {
      const found = await extracted(extraction, exchange, response, 'response')
      if (!(found instanceof Response)) {
        await extraction.target(exchange, response, found)
        return response
      }
      response.body.cancel()
      return found
    } catch (error) {
      response.body.cancel()
      throw error
    }
  }
}

/** Texts by key, or the response in place of content that can not be searched. Throws where it exceeds the temporary storage. */
async function extracted(
  extraction: Extraction,
  exchange: Exchange,
  message: Message,
  subject: Subject,
): Promise<Record<string, string | null> | Response> {
  await message.body.bufferIfFits(exchange.storage)
  try {
    return search(extraction, message, subject)
  } catch (error) {
    const status = statusFor(error, subject)
    if (status === null) throw error
    const { message: problem } = error as Error
    extraction.logger.limited().warn({ ...exchange.ids, subject, problem }, EVENTS.CONTENT_NOT_SEARCHED)
    return respond(status)
  }
}

/** Null for faults that the content does not cause. */
function statusFor(error: unknown, subject: Subject): 413 | 415 | 502 | null {
  const isTooLong = error instanceof EntityTooLargeError || error instanceof MatchError
  const isUndecodable =
    error instanceof ContentCodingError || (error as NodeJS.ErrnoException).code === 'ERR_ENCODING_NOT_SUPPORTED'
  if (!isTooLong && !isUndecodable) return null
  if (subject === 'response') return 502
  return isTooLong ? 413 : 415
}

/** Texts by key, null where a pattern is not found. */
function search({ charset, bindings }: Extraction, message: Message, subject: Subject): Record<string, string | null> {
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
