import type { Description } from '#crest'
import type { JsonObject } from '#json'

const NUMBER: JsonObject = { type: ['number', 'null'] }
const LATENCIES: JsonObject = { p50: NUMBER, p95: NUMBER, p99: NUMBER }

const RATES: JsonObject = {
  requestsPerSecond: { type: 'number' },
  errorsPerSecond: { type: 'number' },
  active: { type: 'number', description: 'Requests being processed.' },
  requests: { type: 'number', description: 'Requests since deployment.' },
  errors: { type: 'number' },
  statuses: {
    type: 'object',
    description: 'Responses for each second, by status family.',
    additionalProperties: { type: 'number' },
  },
}

const LIST: JsonObject = { type: 'array', items: { type: 'object' } }

const SAMPLE: JsonObject = {
  type: 'object',
  properties: {
    timestamp: { type: 'string', format: 'date-time' },
    interval: { type: 'number', description: 'Seconds since the previous values, which rates are averages of.' },
    totals: {
      type: 'object',
      description: 'All routes; latencies in milliseconds of the interval, null without a request.',
      properties: { ...RATES, ...LATENCIES },
    },
    p99: NUMBER,
    routes: {
      type: 'object',
      description:
        'By the id of the route, preceded by its router for others than _router. Latencies of the last minutes.',
      additionalProperties: { type: 'object', properties: { name: {}, router: {}, ...RATES, ...LATENCIES } },
    },
    removedRoutes: {
      type: 'array',
      items: { type: 'string' },
      description: 'Routes that are gone since the last event.',
    },
    units: { type: 'object', additionalProperties: NUMBER },
    memory: { type: 'object', properties: { residentBytes: NUMBER, threads: LIST } },
    eventLoop: LIST,
  },
}

/** Description of `/api/monitor/metrics`. */
export const METRICS_DESCRIPTION: Description = {
  id: 'gateway:monitor:metrics',
  title: 'Live metrics',
  description:
    'Server-Sent Events, one each second. The first has all routes, later ones those that have changed. Every fifth event also has pools, circuitBreakers, throttling, caches, notifications, agents, redis, certificates, secrets and audit.',
  version: '1.0',
  schema: {
    ...SAMPLE,
    properties: {
      ...(SAMPLE['properties'] as JsonObject),
      process: { type: 'object', additionalProperties: NUMBER },
      pools: LIST,
      circuitBreakers: LIST,
      throttling: LIST,
      caches: LIST,
      notifications: LIST,
      agents: LIST,
      redis: LIST,
      certificates: LIST,
      secrets: LIST,
      audit: LIST,
    },
  },
  revisions: false,
}

/** Description of `/api/monitor/history`. */
export const HISTORY_DESCRIPTION: Description = {
  id: 'gateway:monitor:history',
  title: 'Metrics of the last hour',
  description: 'Samples of the live metrics, the oldest first, each with the fifty routes with the most requests.',
  version: '1.0',
  schema: {
    type: 'object',
    properties: {
      interval: { type: 'number', description: 'Seconds between samples.' },
      samples: { type: 'array', items: SAMPLE },
    },
  },
  revisions: false,
}

/** Fields of a request that has ended. */
export const REQUEST_FIELDS: JsonObject = {
  timestamp: { type: 'string', format: 'date-time', description: 'When the request began.' },
  method: { type: 'string' },
  path: { type: 'string' },
  status: { type: ['integer', 'null'], description: 'Null where the client left before a response.' },
  elapsed: { type: 'number', description: 'Milliseconds.' },
  route: { type: ['string', 'null'] },
  user: { type: ['string', 'null'] },
  transactionId: { type: 'string' },
}

/** Description of `/api/monitor/requests`. */
export const REQUESTS_DESCRIPTION: Description = {
  id: 'gateway:monitor:requests',
  title: 'Live requests',
  description:
    'Server-Sent Events, one for each request that has ended; those beyond the rate are counted as { "skipped": n }. Without queries, headers and bodies.',
  version: '1.0',
  schema: {
    type: 'object',
    properties: {
      ...REQUEST_FIELDS,
      trace: {
        type: ['string', 'null'],
        description: 'Id of its trace, below /api/monitor/trace; null for a request that was not traced.',
      },
      skipped: { type: 'integer', description: 'Only in events that have no other field.' },
    },
  },
  revisions: false,
}
