import type { AuditTopic } from '#contracts'
import { CREST_OPERATIONS } from '#http'
import type { JsonObject } from '#json'

const TEXT: JsonObject = { type: 'string' }
const ADDRESS: JsonObject = {
  type: 'object',
  required: ['ip', 'port'],
  properties: { ip: TEXT, port: { type: 'integer', minimum: 0, maximum: 65_535 } },
}
const LISTS: JsonObject = { type: 'object', additionalProperties: { type: 'array', items: TEXT } }
/** Names are lower case: HTTP/2 allows no other, and policies ignore case. */
const HEADERS: JsonObject = { ...LISTS, description: 'Values by lower-case name.' }

const DECISION: JsonObject = {
  type: 'object',
  description: 'The decision of the gateway; absent where the upstream chose the status.',
  required: ['result', 'by', 'reason'],
  properties: {
    result: { type: 'string', enum: ['GRANTED', 'DENIED', 'FAILED'] },
    by: { type: 'string', description: 'Name of the object that decided.' },
    reason: TEXT,
    policy: { type: 'string', description: 'Policy of the access manager.' },
    rule: { type: 'string', description: 'Rule of the configuration.' },
    fromCache: { type: 'boolean', description: 'Whether the decision was cached.' },
  },
}

const GATEWAY: JsonObject = {
  type: 'object',
  properties: {
    exchangeId: TEXT,
    routeId: TEXT,
    routeName: TEXT,
    longRunning: { type: 'boolean', description: 'True for the first event of a request that is still in flight.' },
    decision: DECISION,
    ext: { type: 'object', description: 'Custom entries.' },
    extTruncated: { type: 'boolean', description: 'True where entries were too long, and are truncated or left out.' },
  },
}

const SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Event of the topic access',
  description: 'One request at the boundary of the gateway, published when its response has been sent.',
  type: 'object',
  required: ['_id', 'timestamp', 'eventName', 'transactionId', 'client', 'server', 'http'],
  properties: {
    _id: { type: 'string', description: 'Unique; the same when the event is sent again.' },
    timestamp: { type: 'string', format: 'date-time', description: 'Arrival of the request.' },
    eventName: { type: 'string', enum: ['GATEWAY-HTTP-ACCESS', 'OPENIG-HTTP-ACCESS'] },
    transactionId: TEXT,
    traceId: { type: 'string', pattern: '^[0-9a-f]{32}$', description: 'Trace of the header traceparent.' },
    userId: TEXT,
    trackingIds: { type: 'array', items: TEXT },
    server: { ...ADDRESS, description: 'Local address of the connection.' },
    client: { ...ADDRESS, description: 'Address of the client; the port is 0 behind a trusted proxy.' },
    request: {
      type: 'object',
      description: 'Of Common REST requests to the admin connector.',
      properties: {
        protocol: { type: 'string', enum: ['CREST'] },
        operation: { type: 'string', enum: [...CREST_OPERATIONS] },
        detail: { type: 'object', properties: { action: TEXT }, additionalProperties: true },
      },
    },
    http: {
      type: 'object',
      properties: {
        request: {
          type: 'object',
          properties: {
            secure: { type: 'boolean' },
            method: TEXT,
            path: { type: 'string', description: 'Scheme, authority and path of the original URI.' },
            queryParameters: LISTS,
            headers: HEADERS,
            cookies: { type: 'object', additionalProperties: TEXT },
          },
        },
        response: { type: 'object', properties: { headers: HEADERS } },
      },
    },
    response: {
      type: 'object',
      required: ['status', 'elapsedTime', 'elapsedTimeUnits'],
      properties: {
        status: { type: 'string', enum: ['SUCCESSFUL', 'FAILED'] },
        statusCode: { type: 'string', pattern: '^[1-9][0-9]{2}$', description: 'Absent where no head was sent.' },
        elapsedTime: { type: 'integer', minimum: 0 },
        elapsedTimeUnits: { type: 'string', enum: ['MILLISECONDS'] },
        // Open, so that CSV has the one column `response.detail` of existing consumers.
        detail: { type: 'object', properties: { reason: TEXT }, additionalProperties: true },
      },
    },
    gateway: GATEWAY,
    ig: { ...GATEWAY, description: 'In place of gateway, with compatibility.' },
  },
}

/** Requests at the boundary of the gateway. */
export const ACCESS_TOPIC: AuditTopic = { name: 'access', schema: SCHEMA }

/** The topic as a service writes it, which has one of the two groups: each would be columns of a CSV file. */
export function accessTopicOf(group: 'gateway' | 'ig'): AuditTopic {
  const { gateway: _, ig: __, ...others } = SCHEMA['properties'] as JsonObject
  return { ...ACCESS_TOPIC, schema: { ...SCHEMA, properties: { ...others, [group]: GATEWAY } } }
}

const HEADER_SAFELIST = [
  'accept',
  'accept-api-version',
  'content-type',
  'host',
  'user-agent',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-original-uri',
  'x-real-ip',
  'x-request-id',
  'x-requested-with',
  'x-scheme',
]

/** Fields that are written without a policy: no query, no cookie, no credential (field-notes 7.2). */
export const ACCESS_SAFELIST: readonly string[] = [
  '/_id',
  '/timestamp',
  '/eventName',
  '/transactionId',
  '/traceId',
  '/userId',
  '/trackingIds',
  '/server',
  '/client',
  '/request',
  '/response',
  '/gateway',
  '/http/request/secure',
  '/http/request/method',
  '/http/request/path',
  ...HEADER_SAFELIST.map((name) => `/http/request/headers/${name}`),
]

/** Objects whose member names are compared without case by default. */
export const ACCESS_CASE_INSENSITIVE: readonly string[] = [
  '/access/http/request/headers',
  '/access/http/response/headers',
]
