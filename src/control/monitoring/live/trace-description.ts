import type { Description } from '#crest'
import type { JsonObject } from '#json'
import { REQUEST_FIELDS } from './monitor-descriptions.ts'

/** Ids of traces. */
export const TRACE_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

const CHANGES: JsonObject = {
  type: ['object', 'null'],
  description: 'Values before and after: method, uri, status, headers; body where it was replaced; added contexts.',
}

const STEPS: JsonObject = {
  type: 'array',
  description: 'Filters and handlers in the order in which they were entered; times in milliseconds.',
  items: {
    type: 'object',
    properties: {
      object: { type: 'string', description: 'Qualified name, as in explanations.' },
      kind: { type: 'string', enum: ['filter', 'handler'] },
      depth: { type: 'integer' },
      start: { type: 'number' },
      elapsed: { type: ['number', 'null'] },
      own: { type: ['number', 'null'], description: 'Without the filters and handlers behind it.' },
      status: { type: ['integer', 'null'] },
      error: { type: ['string', 'null'] },
      responded: { type: 'boolean', description: 'Whether it responded without the next one.' },
      request: CHANGES,
      response: CHANGES,
    },
  },
}

/** Response of the action `send`. */
export const SENT_RESPONSE: JsonObject = {
  type: 'object',
  properties: {
    response: {
      type: 'object',
      properties: {
        status: { type: 'integer' },
        reason: { type: 'string' },
        headers: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
        entity: { type: 'string' },
        encoding: { type: 'string', enum: ['base64'] },
        truncated: { type: 'boolean', description: 'Whether the body is longer than 256 KiB.' },
      },
    },
    route: { type: ['string', 'null'] },
    transactionId: { type: ['string', 'null'] },
    elapsed: { type: ['number', 'null'], description: 'Milliseconds.' },
    steps: STEPS,
  },
}

/** Description of `/api/monitor/trace`. */
export const TRACE_DESCRIPTION: Description = {
  id: 'gateway:monitor:trace',
  title: 'Traced requests',
  description:
    'The way of requests through filters and handlers. A read returns that of a live request, by the id in its event, until 500 more were traced or the last stream of live requests is closed. The action send sends a request through the traffic connector.',
  version: '1.0',
  schema: { type: 'object', properties: { ...REQUEST_FIELDS, steps: STEPS } },
  idPattern: TRACE_ID.source,
  revisions: false,
}
