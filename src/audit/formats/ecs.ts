import { isIP } from 'node:net'
import type { JsonObject, JsonValue } from '#json'
import {
  compact,
  elapsedMillis,
  gatewayFields,
  integerAt,
  objectAt,
  requestHeader,
  textAt,
  unmappedFields,
  urlFields,
  without,
} from './event-fields.ts'

/** Release of the Elastic Common Schema that the fields follow. */
const VERSION = '8.17.0'

const NANOSECONDS = 1_000_000

/**
 * An event by the Elastic Common Schema. Fields that the schema does not define are in the object `gateway`: custom fields
 * are allowed under a name of their own.
 */
export function ecsEvent(topic: string, event: JsonObject): JsonObject {
  const isAccess = topic === 'access'
  const elapsed = elapsedMillis(event)
  const { category, types } = categorization(topic, event)
  return compact({
    '@timestamp': textAt(event, 'timestamp'),
    ecs: { version: VERSION },
    event: compact({
      id: textAt(event, '_id'),
      kind: 'event',
      module: 'gateway',
      dataset: `gateway.${topic}`,
      action: textAt(event, 'eventName'),
      category: category === null ? undefined : [category],
      type: types,
      outcome: outcome(event),
      duration: elapsed === undefined ? undefined : elapsed * NANOSECONDS,
      reason: textAt(gatewayFields(event), 'decision', 'reason'),
    }),
    labels: compact({ transaction_id: textAt(event, 'transactionId') }),
    trace: compact({ id: textAt(event, 'traceId') }),
    user: compact({ id: textAt(event, 'userId') }),
    client: endpoint(objectAt(event, 'client')),
    server: endpoint(objectAt(event, 'server')),
    http: isAccess ? httpFields(event) : undefined,
    url: isAccess ? urlFields(event, { text: 'original', host: 'domain' }) : undefined,
    user_agent: compact({ original: isAccess ? requestHeader(event, 'user-agent') : undefined }),
    rule: compact({ name: ruleName(objectAt(gatewayFields(event), 'decision')) }),
    gateway: ownFields(topic, event),
  }) as JsonObject
}

function categorization(topic: string, event: JsonObject): { category: string | null; types: string[] } {
  if (topic === 'access') {
    return { category: 'web', types: outcome(event) === 'failure' ? ['access', 'error'] : ['access'] }
  }
  if (topic !== 'config') return { category: null, types: ['info'] }
  const kinds: Readonly<Record<string, string>> = { CREATE: 'creation', DELETE: 'deletion', ACTION: 'info' }
  return { category: 'configuration', types: [kinds[textAt(event, 'operation') ?? ''] ?? 'change'] }
}

/** `unknown` for an event without response, such as the first one of a long request. */
function outcome(event: JsonObject): string {
  const status = textAt(event, 'response', 'status')
  if (status === undefined) return 'unknown'
  return status === 'SUCCESSFUL' ? 'success' : 'failure'
}

/** The type of `ip` is an address: any other text would have the whole document refused. */
function endpoint(end: JsonObject | undefined): JsonObject | undefined {
  if (end === undefined) return undefined
  const address = textAt(end, 'ip')
  const ip = address !== undefined && isIP(address) !== 0 ? address : undefined
  return compact({ address, ip, port: integerAt(end, 'port') })
}

function httpFields(event: JsonObject): JsonObject | undefined {
  return compact({
    request: compact({ method: textAt(event, 'http', 'request', 'method') }),
    response: compact({ status_code: integerAt(event, 'response', 'statusCode') }),
  })
}

function ruleName(decision: JsonObject | undefined): JsonValue | undefined {
  return decision === undefined ? undefined : (textAt(decision, 'policy') ?? textAt(decision, 'rule'))
}

function ownFields(topic: string, event: JsonObject): JsonObject | undefined {
  const rest = without(unmappedFields(topic, event), 'gateway', 'ig')
  return compact({ ...gatewayFields(event), [topic]: rest })
}
