import { createSecretKey } from 'node:crypto'
import { AccessAudit, EventPublisher, type FilterPolicies } from '#audit'
import type { AuditService } from '#contracts'
import { auditUser } from '#contracts'
import { type AccessAuditor, SerialIds } from '#http'
import { ConfigError, type Environment } from '#schema'
import type { AuditValues } from './audit-fields.ts'
import { routeTopicWarnings, trailConflicts } from './config-topic.ts'
import { folderWarnings } from './folder-warnings.ts'
import { policyWarnings } from './policy-warnings.ts'
import { renewTransports } from './renew-transports.ts'
import { namesOf, planOf, topicsOf } from './service-plan.ts'
import { spoolWarnings } from './spool-warnings.ts'

/** Opens the event handlers and publishes to them. */
export async function openService(values: AuditValues, env: Environment): Promise<AuditService> {
  const { clock, logger } = env
  const conflicts = await trailConflicts(values.eventHandlers, env)
  if (conflicts.length > 0) throw new ConfigError(conflicts)
  const handlers = values.eventHandlers.filter(({ enabled }) => enabled)
  const { handled: topics, known } = topicsOf(values, env)
  const warnings = [
    ...policyWarnings(values.config, known),
    ...routeTopicWarnings(values.eventHandlers, env),
    ...(await folderWarnings(values.eventHandlers, env)),
    ...(await spoolWarnings(values.eventHandlers, env)),
  ]
  for (const { pointer, message } of warnings) env.warn(message, pointer)
  const { handlerForQueries } = values.config
  if (handlerForQueries !== undefined && !handlers.some(({ name }) => name === handlerForQueries)) {
    env.warn(
      `the event handler "${handlerForQueries}" is disabled: no topic can be queried`,
      '/config/handlerForQueries',
    )
  }
  const formats = [...new Map(handlers.map(({ format }) => [format.key, format])).values()]
  const policies = await policiesOf(values)
  const plan = planOf(values, { handlers, formats, topics }, env)
  const outlet = await env.openAudit(plan)
  renewTransports(handlers, (changed) => outlet.renew(planOf(values, { handlers: changed, formats, topics }, env)), env)
  const ids = new SerialIds()
  const invalid = env.metrics.counter(
    'gw_audit_events_invalid_total',
    'Audit events that were dropped because they could not be built, violate the schema of their topic, or because of their topic.',
    { service: env.name },
  )
  const used = topics.filter(({ topic }) => handlers.some((handler) => handler.topics.includes(topic.name)))
  const publisher = new EventPublisher({
    topics: used,
    customTopics: topics.filter(({ isCustom }) => isCustom).map(({ topic }) => topic.name),
    handlers,
    formats,
    policies,
    names: namesOf(values),
    outlet,
    ids,
    clock,
    logger,
    invalid,
  })
  return {
    publish: (topic, event) => publisher.publish(topic, event),
    send: (topic, event) => publisher.send(topic, event),
    countFailed: () => invalid.add(),
    topicProblem: (topic) => publisher.topicProblem(topic),
    access: openAccess(values, publisher, ids, env),
    mayBeFull: plan.handlers.some(({ queue }) => queue.onFull === 'block'),
    get isFull() {
      return outlet.isFull
    },
    waitForRoom: () => outlet.waitForRoom(),
    serveQueries: () => outlet.serveQueries(),
  }
}

async function policiesOf({ config, secretsProvider: provider }: AuditValues): Promise<FilterPolicies> {
  const { caseInsensitiveFields, filterPolicies } = config
  const { includeIf, excludeIf, hash, truncate } = filterPolicies.field
  return {
    includeIf,
    excludeIf,
    truncate,
    caseInsensitiveFields,
    valueIncludeIf: filterPolicies.value.includeIf,
    valueExcludeIf: filterPolicies.value.excludeIf,
    hash: hash === undefined ? null : { fields: hash.fields, key: await hashKey(hash.secretId) },
  }

  async function hashKey(secretId: string) {
    try {
      return createSecretKey((await provider.active({ secretId, purpose: 'GENERIC' })).revealBytes())
    } catch (error) {
      const pointer = '/config/filterPolicies/field/hash/secretId'
      throw new ConfigError([{ pointer, message: (error as Error).message }])
    }
  }
}

/** Longest interval of checks for long-running requests. */
const MAX_SWEEP_INTERVAL = 1_000

function openAccess(
  values: AuditValues,
  publisher: EventPublisher,
  ids: SerialIds,
  { clock, logger, serving, onDispose }: Environment,
): AccessAuditor | null {
  const { longRunningAfter, userIdExpression } = values
  const access = publisher.access()
  if (access === null) return null
  const audit = new AccessAudit({
    needs: access.fields,
    longRunningAfter,
    clock,
    ids,
    userIdOf: userIdExpression ?? auditUser,
    publish: access.publish,
    eventOf: access.eventOf,
    begin: access.begin,
    logger,
  })
  if (serving && Number.isFinite(longRunningAfter)) {
    const interval = Math.min(longRunningAfter / 10, MAX_SWEEP_INTERVAL)
    const timer = setInterval(() => audit.reportLongRunning(), interval).unref()
    onDispose(() => clearInterval(timer))
  }
  return audit
}
