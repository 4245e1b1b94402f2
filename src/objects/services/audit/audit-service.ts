import { join } from 'node:path'
import type { FilesPlan } from '#audit'
import { AUDIT_EVENTS } from '#audit'
import { AuditServiceKind } from '#contracts'
import { parsePointer } from '#json'
import { defineType, didYouMean, ignored, renamed } from '#schema'
import { EVENTS } from '../log-events.ts'
import { AUDIT_FIELDS, type AuditValues } from './audit-fields.ts'
import { openService } from './open-service.ts'

/** Publishes audit events to its event handlers. */
export const AuditService = defineType({
  name: 'AuditService',
  kind: AuditServiceKind,
  summary:
    'Publishes audit events of requests, configuration changes, notifications and scripts to its event handlers.',
  metrics: ['gw_audit_events_invalid_total'],
  events: [
    EVENTS.TASK_FAILED,
    AUDIT_EVENTS.EVENT_INVALID,
    AUDIT_EVENTS.EVENT_NOT_BUILT,
    AUDIT_EVENTS.TOPIC_REFUSED,
    AUDIT_EVENTS.USER_UNKNOWN,
  ],
  config: AUDIT_FIELDS,
  older: [renamed('event-handlers', 'eventHandlers'), ignored('enabled', 'a NoOpAuditService switches audit off')],
  check: checkNames,
  create: (values, env) => openService(values, env),
})

function checkNames({ config, eventHandlers }: AuditValues, report: (path: string, message: string) => void): void {
  const names = new Set<string>()
  for (const [at, { name }] of eventHandlers.entries()) {
    if (names.has(name)) report(`/eventHandlers/${at}/config/name`, `another event handler has the name "${name}"`)
    names.add(name)
  }
  checkFiles(eventHandlers, report)
  const { handlerForQueries, filterPolicies } = config
  if (handlerForQueries !== undefined && !names.has(handlerForQueries)) {
    report('/config/handlerForQueries', `no event handler has this name${didYouMean(handlerForQueries, [...names])}`)
  }
  const { field, value } = filterPolicies
  const lists = {
    'field/includeIf': field.includeIf,
    'field/excludeIf': field.excludeIf,
    'field/hash/fields': field.hash?.fields ?? [],
    'value/includeIf': value.includeIf,
    'value/excludeIf': value.excludeIf,
  }
  for (const [path, pointers] of Object.entries(lists)) {
    for (const [at, pointer] of pointers.entries()) {
      if (isFieldPointer(pointer)) continue
      report(
        `/config/filterPolicies/${path}/${at}`,
        'expected a JSON pointer that begins with a topic, such as "/access/http/request/headers/host"',
      )
    }
  }
  for (const pointer of Object.keys(field.truncate)) {
    if (!isFieldPointer(pointer))
      report('/config/filterPolicies/field/truncate', `"${pointer}": expected a JSON pointer that begins with a topic`)
  }
}

function isFieldPointer(text: string): boolean {
  return text.startsWith('/') && (parsePointer(text)?.length ?? 0) > 0
}

/** Two handlers that append to one file would rotate it, and chain its lines, independently of each other. */
function checkFiles(handlers: AuditValues['eventHandlers'], report: (path: string, message: string) => void): void {
  const owners = new Map<string, string>()
  for (const [at, { name, topics, enabled, transport }] of handlers.entries()) {
    if (!enabled || transport.exclusive === undefined) continue
    const { extension } = transport as Partial<FilesPlan>
    const files = topics.map((topic) => join(transport.exclusive as string, `${topic}${extension}`))
    const file = files.find((path) => owners.has(path))
    if (file !== undefined) {
      const message = `"${owners.get(file)}" writes to ${file} too; use another folder, or other topics`
      report(`/eventHandlers/${at}/config/logDirectory`, message)
    }
    for (const path of files) owners.set(path, name)
  }
}
