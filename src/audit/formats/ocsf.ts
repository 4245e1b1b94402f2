import { isIP } from 'node:net'
import type { JsonObject } from '#json'
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
} from './event-fields.ts'

/** Release of the Open Cybersecurity Schema Framework that the classes follow. */
const VERSION = '1.3.0'

interface Activity {
  readonly id: number
  readonly name: string
}

const OTHER = 99

/** Activities of the class HTTP Activity. */
const METHODS: Readonly<Record<string, Activity>> = {
  CONNECT: { id: 1, name: 'Connect' },
  DELETE: { id: 2, name: 'Delete' },
  GET: { id: 3, name: 'Get' },
  HEAD: { id: 4, name: 'Head' },
  OPTIONS: { id: 5, name: 'Options' },
  POST: { id: 6, name: 'Post' },
  PUT: { id: 7, name: 'Put' },
  TRACE: { id: 8, name: 'Trace' },
}

/** Activities of the class Entity Management. */
const OPERATIONS: Readonly<Record<string, Activity>> = {
  CREATE: { id: 1, name: 'Create' },
  UPDATE: { id: 3, name: 'Update' },
  PATCH: { id: 3, name: 'Update' },
  DELETE: { id: 4, name: 'Delete' },
}

/**
 * An event by the Open Cybersecurity Schema Framework: HTTP Activity (4002) for `access`, Entity Management (3004) for
 * `config`, Base Event (0) for all other topics. Fields that the class does not define are in `unmapped`.
 */
export function ocsfEvent(topic: string, event: JsonObject): JsonObject {
  if (topic === 'access') {
    const activity = activityOf(METHODS, textAt(event, 'http', 'request', 'method'))
    return classified(topic, event, { category: 4, uid: 2, activity }, httpActivity(event))
  }
  if (topic === 'config') {
    const activity = activityOf(OPERATIONS, textAt(event, 'operation'))
    return classified(topic, event, { category: 3, uid: 4, activity }, entityManagement(event))
  }
  const activity = activityOf({}, textAt(event, 'eventName'))
  return classified(topic, event, { category: 0, uid: 0, activity }, undefined)
}

function activityOf(known: Readonly<Record<string, Activity>>, name: string | undefined): Activity {
  if (name === undefined) return { id: 0, name: 'Unknown' }
  return Object.hasOwn(known, name) ? (known[name] as Activity) : { id: OTHER, name }
}

interface Classification {
  readonly category: number
  /** Number of the class in its category. */
  readonly uid: number
  readonly activity: Activity
}

function classified(
  topic: string,
  event: JsonObject,
  { category, uid, activity }: Classification,
  ofClass: JsonObject | undefined,
): JsonObject {
  const classUid = category * 1_000 + uid
  const time = Date.parse(textAt(event, 'timestamp') ?? '')
  const statusId = statusOf(event)
  const action = actionOf(event)
  return compact({
    category_uid: category,
    class_uid: classUid,
    activity_id: activity.id,
    activity_name: activity.name,
    type_uid: classUid * 100 + activity.id,
    time: Number.isNaN(time) ? undefined : time,
    severity_id: action === 2 ? 3 : statusId === 2 ? 2 : 1,
    status_id: statusId,
    status_code: textAt(event, 'response', 'statusCode'),
    status_detail: textAt(gatewayFields(event), 'decision', 'reason'),
    metadata: compact({
      version: VERSION,
      product: { name: 'Identity Gateway', vendor_name: 'Identity Gateway' },
      profiles: action === undefined ? undefined : ['security_control'],
      uid: textAt(event, '_id'),
      correlation_uid: textAt(event, 'transactionId'),
      event_code: textAt(event, 'eventName'),
      log_name: topic,
    }),
    action_id: action,
    policy: compact({ name: textAt(gatewayFields(event), 'decision', 'policy') }),
    actor: compact({ user: compact({ uid: textAt(event, 'userId') }) }),
    src_endpoint: endpoint(objectAt(event, 'client')),
    ...ofClass,
    unmapped: compact({ ...unmappedFields(topic, event), traceId: textAt(event, 'traceId') }),
  }) as JsonObject
}

/** Success, failure, or unknown for an event without response. */
function statusOf(event: JsonObject): number {
  const status = textAt(event, 'response', 'status')
  if (status === undefined) return 0
  return status === 'SUCCESSFUL' ? 1 : 2
}

/** Allowed or denied, where an object of the gateway decided. */
function actionOf(event: JsonObject): number | undefined {
  const result = textAt(gatewayFields(event), 'decision', 'result')
  if (result === undefined) return undefined
  return result === 'GRANTED' ? 1 : 2
}

function endpoint(end: JsonObject | undefined): JsonObject | undefined {
  if (end === undefined) return undefined
  const address = textAt(end, 'ip')
  const isAddress = address !== undefined && isIP(address) !== 0
  return compact({
    ip: isAddress ? address : undefined,
    hostname: isAddress ? undefined : address,
    port: integerAt(end, 'port'),
  })
}

function httpActivity(event: JsonObject): JsonObject | undefined {
  const code = integerAt(event, 'response', 'statusCode')
  return compact({
    dst_endpoint: endpoint(objectAt(event, 'server')),
    duration: elapsedMillis(event),
    http_request: compact({
      http_method: textAt(event, 'http', 'request', 'method'),
      user_agent: requestHeader(event, 'user-agent'),
      url: urlFields(event, { text: 'url_string', host: 'hostname' }),
    }),
    http_response: code === undefined ? undefined : compact({ code, latency: elapsedMillis(event) }),
  })
}

function entityManagement(event: JsonObject): JsonObject | undefined {
  return compact({
    entity: compact({
      uid: textAt(event, 'objectId'),
      type: 'configuration',
      version: textAt(event, 'previousRevision'),
    }),
    entity_result: compact({ uid: textAt(event, 'objectId'), version: textAt(event, 'revision') }),
  })
}
