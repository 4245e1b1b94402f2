import { TopicFiles } from '#trail'
import { type Arguments, UsageError } from '../arguments.ts'
import type { ProcessContext } from '../process-context.ts'
import { type AuditTrail, auditTrails, UnknownTrails } from './audit-trails.ts'

/** The files of the topic and event handler of a command line. */
export async function chosenTrail(
  topic: string | undefined,
  args: Arguments,
  context: ProcessContext,
): Promise<TopicFiles> {
  const handler = args.value('handler')
  const all = (await auditTrails(args, context)).filter(({ supportsQueries }) => supportsQueries)
  const trails = all.filter((trail) => handler === undefined || trail.handler === handler)
  if (trails.length === 0) {
    const known = all.map((trail) => trail.handler).join(', ')
    throw new UnknownTrails(`no event handler that can be queried has the name "${handler}"; there are: ${known}`)
  }
  const name = topic ?? (trails.some(({ topics }) => topics.includes('access')) ? 'access' : trails[0]?.topics[0])
  const found = trails.find(({ topics }) => topics.includes(name as string)) as AuditTrail | undefined
  if (found !== undefined) return new TopicFiles(found.plan, name as string)
  const known = [...new Set(trails.flatMap(({ topics }) => topics))].join(', ')
  throw new UnknownTrails(`no event handler that can be queried has the topic "${name}"; there are: ${known}`)
}

/** The number of events to print. */
export function lineCount(args: Arguments): number | null {
  const text = args.value('lines')
  if (text === undefined) return null
  // With -f, none of those that are there: as `tail -n 0 -f` of the system.
  if (text === '0' && args.has('follow')) return 0
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`-n: expected a number from 1, got "${text}"`)
  return Number(text)
}
