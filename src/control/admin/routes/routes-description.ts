import type { Description } from '#crest'
import { ROUTE_ID } from '#instance'
import type { JsonObject } from '#json'
import { SIMULATED_REQUEST } from '../../routes/simulated-request.ts'

const PROBLEMS: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      pointer: { type: 'string' },
      message: { type: 'string' },
      line: { type: 'integer', description: 'Position in `_source`, where that was sent.' },
      column: { type: 'integer' },
    },
  },
}

/** Response of `validate`. */
export const VALIDATE_RESPONSE: JsonObject = {
  type: 'object',
  properties: { valid: { type: 'boolean' }, problems: PROBLEMS },
}

/** Response of `explain`. */
export const EXPLAIN_RESPONSE: JsonObject = {
  type: 'object',
  properties: {
    refused: { type: ['object', 'null'], description: 'Why the listener would refuse the request.' },
    tried: { type: 'array', items: { type: 'object' } },
    route: { type: ['string', 'null'] },
    chain: { type: 'array', items: { type: 'object' } },
  },
}

/** Request of `evaluate`. */
export const EVALUATE_REQUEST: JsonObject = {
  type: 'object',
  required: ['expression'],
  properties: {
    expression: { type: 'string', maxLength: 16_384, description: 'As in a route: text with ${}.' },
    route: {
      type: 'string',
      description: 'Id of the route whose properties it may read; those of the router by default.',
    },
    request: SIMULATED_REQUEST,
    response: {
      type: 'object',
      description: 'For expressions that read the response.',
      properties: { status: { type: 'integer' }, headers: { type: 'object' }, entity: { type: 'string' } },
    },
  },
}

/** Response of `evaluate`. */
export const EVALUATE_RESPONSE: JsonObject = {
  type: 'object',
  properties: {
    value: { description: 'The value as JSON; the start of its text where it is truncated.' },
    type: { type: 'string', description: 'string, number, boolean, null, list, map, or an object such as uri.' },
    truncated: { type: 'boolean', description: 'Whether the value is longer than 65,536 characters.' },
    error: {
      type: 'object',
      description: 'In place of the value.',
      properties: {
        message: { type: 'string' },
        column: { type: 'integer', description: 'Position of a syntax error in the expression, from 1.' },
      },
    },
  },
}

/** Request of `complete`. */
export const COMPLETE_REQUEST: JsonObject = {
  ...EVALUATE_REQUEST,
  required: ['expression', 'offset'],
  properties: {
    ...(EVALUATE_REQUEST['properties'] as JsonObject),
    offset: { type: 'integer', description: 'Where names are wanted, in UTF-16 code units from 0.' },
  },
}

/** Response of `complete`. */
export const COMPLETE_RESPONSE: JsonObject = {
  type: 'object',
  properties: {
    from: { type: 'integer', description: 'Where the name begins that is completed.' },
    options: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          kind: { type: 'string', enum: ['binding', 'function', 'property', 'method'] },
          detail: { type: 'string', description: 'Parameters of a function.' },
        },
      },
    },
  },
}

/** Response of `scope`. */
export const SCOPE_RESPONSE: JsonObject = {
  type: 'object',
  properties: {
    objects: {
      type: 'array',
      description: 'Objects that a route of the router inherits, without their configuration.',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          type: { type: 'string' },
          kind: { type: ['string', 'null'], description: 'The contract of the object, such as Handler or Filter.' },
          from: {
            type: ['string', 'null'],
            description: 'The route or `config.json` that declares it; null for a predefined object.',
          },
        },
      },
    },
    schema: { type: 'object', description: 'JSON Schema of a route; of nested objects only the type is checked.' },
  },
}

const VERSION = {
  _rev: { type: 'string' },
  _sourceRev: { type: 'string', description: 'The revision of its text.' },
  replacedAt: { type: 'string', format: 'date-time' },
  replacedBy: {
    type: 'object',
    description: 'The change that replaced it; operation is `file` where the file was changed outside the API.',
    properties: {
      operation: { type: 'string' },
      user: { type: 'string' },
      client: { type: 'string', description: 'The address of the client.' },
      transactionId: { type: 'string' },
    },
  },
} satisfies JsonObject

/** Request that selects a version. */
export const VERSION_REQUEST: JsonObject = {
  type: 'object',
  properties: { _rev: { type: 'string' }, _sourceRev: { type: 'string' } },
}

/** Response of `history`: the list, or the requested version. */
export const HISTORY_RESPONSE: JsonObject = {
  type: 'object',
  properties: {
    _id: { type: 'string' },
    deleted: { type: 'boolean' },
    versions: { type: 'array', items: { type: 'object', properties: VERSION } },
    ...VERSION,
    content: { type: 'object', description: 'The content of that version.' },
    _source: { type: 'string', description: 'Its text.' },
  },
}

/** Response of `deleted`. */
export const DELETED_RESPONSE: JsonObject = {
  type: 'object',
  properties: {
    routes: { type: 'array', items: { type: 'object', properties: { _id: { type: 'string' }, ...VERSION } } },
  },
}

/** Fields that the gateway adds to a route. */
const ADDED: JsonObject = {
  _file: { type: 'string', description: 'The name of its file; included if `_fields` names it.' },
  _status: {
    type: 'object',
    description: 'The status of the route; included if `_fields` names it.',
    properties: { state: { type: 'string', enum: ['loaded', 'failed', 'degraded'] }, problems: PROBLEMS },
  },
  _history: {
    type: 'array',
    description: 'Replaced versions, the newest first; included if `_fields` names it.',
    items: { type: 'object', properties: VERSION },
  },
  _served: {
    type: ['object', 'null'],
    description:
      'The version that is served, included if `_fields` names it; of a file that does not load the last good one, or null.',
    properties: {
      _id: { type: 'string' },
      _rev: { type: 'string' },
      name: { type: 'string' },
      _source: { type: 'string', description: 'Its text.' },
    },
  },
  _source: {
    type: ['string', 'null'],
    description:
      'The text of the file, with its comments; included if `_fields` names it. In a change it replaces all other fields.',
  },
  _sourceRev: {
    type: ['string', 'null'],
    description: 'The revision of the text, included with it. `If-Match` accepts it in place of `_rev`.',
  },
}

/** Description of the routes collection. */
export const ROUTES_DESCRIPTION: Description = {
  id: 'gateway:routes',
  title: 'Routes',
  description:
    'The routes of a router. A change is built by every unit, written to a file and swapped in, or rejected.',
  version: '1.0',
  schema: {
    type: 'object',
    required: ['handler'],
    properties: {
      name: { type: 'string', description: 'The router sorts routes by name; the default is the id.' },
      condition: { type: ['string', 'boolean'], description: 'Which requests the route matches.' },
      handler: { description: 'The handler of the route: its name in the heap, or an object.' },
      heap: { type: 'array', items: { type: 'object' }, description: 'Objects local to this route.' },
      ...ADDED,
    },
  },
  // A file that does not load is returned as stored.
  answer: { type: 'object', properties: ADDED },
  idPattern: ROUTE_ID.source,
  fieldRevisions: { _source: '_sourceRev' },
}
