import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@cfworker/json-schema'
import type { JsonObject } from '#json'
import { waitUntil } from './waiting.ts'

const SCHEMA = JSON.parse(readFileSync(new URL('../../schemas/audit-access.json', import.meta.url), 'utf8'))

/** config.json with a Router and an AuditService. */
export function auditedRoot(handler: JsonObject, more: JsonObject = {}): JsonObject {
  const service = { name: 'AuditService', type: 'AuditService', config: { ...more, eventHandlers: [handler] } }
  return { handler: '_router', heap: [service, { name: '_router', type: 'Router' }] }
}

/** Writes access events to the folder `trail` of the instance. */
export const TO_FILE: JsonObject = {
  class: 'JsonAuditEventHandler',
  config: { name: 'file', topics: ['access'], logDirectory: 'trail' },
}

/** The access events of `TO_FILE` so far. */
export function accessTrail(instance: { readonly directory: string }): JsonObject[] {
  return auditTrail(join(instance.directory, 'trail', 'access.audit.json'))
}

/** The events of a file so far. */
export function auditTrail(path: string): JsonObject[] {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  // The line after the last line end may be incomplete.
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JsonObject)
}

/** Waits for exactly so many access events, each of which satisfies the published schema. */
export async function accessEvents(instance: { readonly directory: string }, count: number): Promise<JsonObject[]> {
  await waitUntil(`${count} access events in the trail`, () => accessTrail(instance).length >= count)
  const events = accessTrail(instance)
  assert.equal(events.length, count, JSON.stringify(events, null, 1))
  for (const event of events) assertValid(event)
  return events
}

/** The event satisfies the published schema. */
export function assertValid(event: JsonObject): void {
  assert.deepEqual(new Validator(SCHEMA, '2020-12').validate(event).errors, [], JSON.stringify(event))
}

/** A member of an event that is an object; empty where it is absent. */
export function part(event: JsonObject | undefined, ...path: readonly string[]): JsonObject {
  return path.reduce<JsonObject>((object, name) => (object[name] ?? {}) as JsonObject, event ?? {})
}
