import { ownTopicProblem } from '#audit'
import { type AuditService, AuditServiceKind, FilterKind } from '#contracts'
import { type Exchange, type Filter, jsonCopy, type Response } from '#http'
import type { JsonObject, JsonValue } from '#json'
import type { Logger } from '#logging'
import { config, defineType, map, ref, string, template } from '#schema'
import { EVENTS } from '../log-events.ts'

/** Publishes a custom event for each request. */
export const AuditFilter = defineType({
  name: 'AuditFilter',
  kind: FilterKind,
  summary: 'Publishes an audit event of a custom topic for each request.',
  events: [EVENTS.EVENT_FAILED],
  config: {
    topic: config(string({ nonEmpty: true })).meta({
      description:
        'Topic of the event, with a JSON schema in `topicSchemasDirectory` of the audit service, and in `topics` of one of its event handlers.',
    }),
    fields: map(template()).meta({
      description:
        'Fields of the event by name; strings may be expressions of the request, its contexts and the response. `_id`, `timestamp`, `transactionId` and `eventName` (the topic) are added automatically.',
    }),
    auditService: ref(AuditServiceKind)
      .optional()
      .meta({ description: 'Service that publishes the event; the one that audits the request by default.' }),
  },
  check: ({ topic, auditService }, report) => {
    const problem = ownTopicProblem(topic) ?? auditService?.topicProblem(topic) ?? null
    if (problem !== null) report('/topic', problem)
  },
  create: ({ topic, fields, auditService }, { logger }) => publishEvents(topic, fields, auditService ?? null, logger),
})

type Evaluate = (exchange: Exchange, response?: Response | null) => Promise<unknown>

/** A field that can not be evaluated leaves the event unpublished, and the response as it is. */
function publishEvents(
  topic: string,
  fields: Readonly<Record<string, Evaluate>>,
  auditService: AuditService | null,
  logger: Logger,
): Filter {
  return async (exchange, next) => {
    const response = await next(exchange)
    const publisher = auditService ?? exchange.auditPublisher
    if (publisher === null) return response
    try {
      publisher.send(topic, await event(topic, fields, exchange, response))
    } catch (error) {
      publisher.countFailed()
      logger.limited(error).error({ error, topic, ...exchange.ids }, EVENTS.EVENT_FAILED)
    }
    return response
  }
}

async function event(
  topic: string,
  fields: Readonly<Record<string, Evaluate>>,
  exchange: Exchange,
  response: Response,
): Promise<JsonObject> {
  const values: [string, JsonValue][] = []
  for (const [name, evaluate] of Object.entries(fields)) {
    const value = await evaluate(exchange, response)
    if (value !== null && value !== undefined) values.push([name, jsonCopy(value)])
  }
  return { eventName: topic, transactionId: exchange.transactionId.value, ...Object.fromEntries(values) }
}
