import { AuditServiceKind } from '#contracts'
import { parsePointer } from '#json'
import { defineType, didYouMean } from '#schema'
import { AUDIT_FIELDS, type AuditValues } from './audit-fields.ts'
import { openService } from './open-service.ts'

/** Publishes audit events to its event handlers. */
export const AuditService = defineType({
  name: 'AuditService',
  kind: AuditServiceKind,
  summary:
    'Publishes audit events of requests, configuration changes, notifications and scripts to its event handlers.',
  config: AUDIT_FIELDS,
  renamed: { 'event-handlers': 'eventHandlers' },
  check: checkNames,
  create: (values, env) => openService(values, env),
})

function checkNames({ config, eventHandlers }: AuditValues, report: (path: string, message: string) => void): void {
  const names = new Set<string>()
  for (const [at, { name }] of eventHandlers.entries()) {
    if (names.has(name)) report(`/eventHandlers/${at}/config/name`, `another event handler has the name "${name}"`)
    names.add(name)
  }
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
