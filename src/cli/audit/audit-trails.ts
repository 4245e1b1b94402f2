import { configTrailFolder, configTrailPlan } from '#audit'
import type { HandlerPlan } from '#schema'
import type { FilePlan } from '#trail'
import type { Arguments } from '../arguments.ts'
import { openDryRun } from '../dry-run/dry-run.ts'
import { RouteFolders } from '../dry-run/route-folders.ts'
import { chosenInstance, chosenState, definedProperties, missingInstance } from '../instance-settings.ts'
import { formatLocated } from '../problems.ts'
import type { ProcessContext } from '../process-context.ts'

/** The files of an event handler. */
export interface AuditTrail {
  readonly handler: string
  readonly topics: readonly string[]
  /** Whether its files have the events as they were published: not as CSV, nor in the format of another product. */
  readonly supportsQueries: boolean
  readonly plan: FilePlan
}

/** Why the trails of an instance are not known; lines for people. */
export class UnknownTrails extends Error {
  override readonly name = 'UnknownTrails'
}

/**
 * The event handlers of an instance that write files, and the trail of configuration changes, which is always written. Those of the
 * service of config.json are first, with the one for queries before all others: the same as `/api/audit/<topic>` asks.
 */
export async function auditTrails(args: Arguments, context: ProcessContext): Promise<readonly AuditTrail[]> {
  const { instance } = chosenInstance(args, context)
  const missing = missingInstance(instance)
  if (missing !== null) throw new UnknownTrails(formatLocated(missing))
  const folders = new RouteFolders()
  await using dryRun = await openDryRun(instance, context, folders, {
    state: chosenState(args, context),
    system: definedProperties(args, context),
  })
  if (dryRun.unit === null) throw new UnknownTrails(dryRun.problems.map((problem) => formatLocated(problem)).join('\n'))
  dryRun.unit.auditService?.serveQueries()
  const handlers = inOrderOfQueries(folders).filter(isFile)
  return [
    ...handlers.map(({ name, topics, supportsQueries, transport }) => ({
      handler: name,
      topics,
      supportsQueries,
      plan: transport as unknown as FilePlan,
    })),
    {
      handler: 'config',
      topics: ['config'],
      supportsQueries: true,
      plan: configTrailPlan(configTrailFolder(dryRun.directories)),
    },
  ]
}

function isFile({ transport }: HandlerPlan): boolean {
  return transport.type === 'file'
}

function inOrderOfQueries({ auditPlans, queriedAuditPlan: queried }: RouteFolders): readonly HandlerPlan[] {
  const all = auditPlans.flatMap(({ handlers }) => handlers)
  if (queried === null) return all
  const chosen = queried.handlers.filter(({ name }) => name === queried.handlerForQueries)
  return [...new Set([...chosen, ...queried.handlers, ...all])]
}
