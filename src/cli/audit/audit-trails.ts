import { join } from 'node:path'
import { configTrailPlan, type FilePlan } from '#audit'
import type { HandlerPlan } from '#schema'
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
  readonly plan: FilePlan
}

/** Why the trails of an instance are not known; lines for people. */
export class UnknownTrails extends Error {
  override readonly name = 'UnknownTrails'
}

/** The event handlers of an instance that write files, and the trail of configuration changes, which is always written. */
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
  const handlers = folders.auditPlans.flatMap((plan) => plan.handlers).filter(isFile)
  return [
    ...handlers.map(({ name, topics, transport }) => ({
      handler: name,
      topics,
      plan: transport as unknown as FilePlan,
    })),
    { handler: 'config', topics: ['config'], plan: configTrailPlan(join(dryRun.directories.logs, 'audit')) },
  ]
}

function isFile({ transport }: HandlerPlan): boolean {
  return transport.type === 'file'
}
