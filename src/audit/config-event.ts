import { ADMIN_AUTHENTICATIONS } from '#contracts'
import type { Description } from '#crest'
import type { QueuedRecord } from '#durable-queue'
import type { JsonObject } from '#json'
import { jsonText } from '#logging'
import { type AuditEvent, eventLine } from './event.ts'

// The published schema has these lists, so that the gateway can not write a value that it lacks.
const OPERATIONS = ['CREATE', 'UPDATE', 'PATCH', 'DELETE', 'ACTION'] as const
const PROTOCOLS = ['CREST', 'FILE', 'RELEASE'] as const
/** `file`: a file changed. `release`: a release of the fleet. `none`: a request that was not authenticated. */
const AUTHENTICATIONS = [...ADMIN_AUTHENTICATIONS, 'file', 'release', 'none'] as const

/** Operation on a part of the configuration. */
export type ConfigOperation = (typeof OPERATIONS)[number]

/** User who requested a change, and the authentication. */
export interface ConfigActor {
  /** Null for an anonymous caller. */
  readonly userId: string | null
  readonly authentication: (typeof AUTHENTICATIONS)[number]
  readonly client?: { readonly ip: string; readonly port: number }
}

/** A change of the configuration, or one that was refused. It holds no values of the configuration: they may be secret. */
export interface ConfigChange {
  readonly actor: ConfigActor
  readonly transactionId: string
  /** Such as `system/objects/_router/routes/<id>`. */
  readonly objectId: string
  readonly operation: ConfigOperation
  readonly protocol: (typeof PROTOCOLS)[number]
  /** More about the operation: the name of an action, or of a file. */
  readonly detail?: Readonly<Record<string, string>>
  /** Null after a create, and where it is unknown. */
  readonly previousRevision: string | null
  /** Null after a delete, and where nothing changed. */
  readonly revision: string | null
  /** JSON pointers. */
  readonly changedFields: readonly string[]
  readonly outcome: ConfigOutcome
}

/** Outcome of a requested change. */
interface ConfigOutcome {
  readonly isDone: boolean
  /** The status of the response; null for a change without a request. */
  readonly statusCode: number | null
  /** Where problems are, as JSON pointers. */
  readonly pointers: readonly string[]
}

/** Longer texts are truncated, so that every event fits into a line: clients choose the names in requests. */
const MAX_TEXT = 256
const MAX_OBJECT_ID = 512
const MAX_POINTERS = 100
const MAX_POINTER_BYTES = 4_096

/** The record of a change, for the trail. */
export function configRecord(id: string, time: number, change: ConfigChange): QueuedRecord {
  return { topic: 'config', id, time, text: jsonText(configEvent(id, time, change)) }
}

/** The event of a change (the fields of field-notes 7.2 and of the commons topic `config`). */
export function configEvent(id: string, time: number, change: ConfigChange): AuditEvent {
  const { actor, operation, detail } = change
  return {
    _id: id,
    timestamp: new Date(time).toISOString(),
    eventName: 'GATEWAY-CONFIG-CHANGE',
    transactionId: cut(change.transactionId),
    ...(actor.userId !== null && { userId: cut(actor.userId) }),
    authentication: actor.authentication,
    ...(actor.client !== undefined && { client: { ...actor.client } }),
    request: { protocol: change.protocol, operation, ...(detail !== undefined && { detail: cutTexts(detail) }) },
    objectId: cut(change.objectId, MAX_OBJECT_ID),
    operation,
    ...(change.previousRevision !== null && { previousRevision: change.previousRevision }),
    ...(change.revision !== null && { revision: change.revision }),
    changedFields: pointers(change.changedFields),
    response: response(change.outcome),
  }
}

function response({ isDone, statusCode, pointers: places }: ConfigOutcome): JsonObject {
  return {
    status: isDone ? 'SUCCESSFUL' : 'FAILED',
    ...(statusCode !== null && { statusCode: String(statusCode) }),
    ...(places.length > 0 && { detail: { pointers: pointers(places) } }),
  }
}

/** As many as there is room for. The last one is that of the whole where there are more. */
function pointers(all: readonly string[]): string[] {
  const kept: string[] = []
  let bytes = 0
  for (const pointer of new Set(all)) {
    bytes += Buffer.byteLength(eventLine({ pointer }))
    if (kept.length === MAX_POINTERS || bytes > MAX_POINTER_BYTES) return [...kept, '']
    kept.push(pointer)
  }
  return kept
}

function cut(text: string, length = MAX_TEXT): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}...`
}

function cutTexts(detail: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(detail).map(([name, text]) => [name, cut(text)]))
}

const TEXT: JsonObject = { type: 'string' }

/** Description of the topic `config`. */
export const CONFIG_TOPIC: Description = {
  id: 'gateway:audit:config',
  title: 'Changes of the configuration',
  description: 'Who changed what, from which revision to which. Values are not kept: they may be secret.',
  version: '1.0',
  revisions: false,
  schema: {
    type: 'object',
    required: ['timestamp', 'eventName', 'transactionId', 'objectId', 'operation', 'response'],
    properties: {
      timestamp: { type: 'string', format: 'date-time' },
      eventName: TEXT,
      transactionId: TEXT,
      userId: { type: 'string', description: 'The caller; missing for an anonymous one.' },
      authentication: { type: 'string', enum: [...AUTHENTICATIONS] },
      client: { type: 'object', properties: { ip: TEXT, port: { type: 'integer' } } },
      request: {
        type: 'object',
        properties: {
          protocol: { type: 'string', enum: [...PROTOCOLS] },
          operation: TEXT,
          detail: { type: 'object' },
        },
      },
      objectId: { type: 'string', description: 'What was changed, such as system/objects/_router/routes/<id>.' },
      operation: { type: 'string', enum: [...OPERATIONS] },
      previousRevision: { type: 'string', description: 'The revision before; missing where there was none.' },
      revision: { type: 'string', description: 'The revision after; missing after a delete.' },
      changedFields: { type: 'array', items: TEXT, description: 'JSON pointers.' },
      response: {
        type: 'object',
        properties: {
          status: { type: 'string', enum: ['SUCCESSFUL', 'FAILED'] },
          statusCode: TEXT,
          detail: { type: 'object' },
        },
      },
    },
  },
}
