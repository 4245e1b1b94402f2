import type { Problem } from '#schema'
import type { UnitLink } from '../units/unit-link.ts'
import type { PlannedChange } from './route-plan.ts'

/** Result of the first phase of a deploy, and the call of the second. */
interface PreparedDeploy {
  /** A change without an entry was built by every unit. */
  readonly problems: ReadonlyMap<PlannedChange, readonly Problem[]>
  /** Files that were read or sought for the changes that have problems. */
  readonly sought: ReadonlyMap<PlannedChange, ReadonlySet<string>>
  /** Swaps the given changes in, in every unit; the rest is discarded. */
  commit(accepted: readonly PlannedChange[]): Promise<void>
}

let deploys = 0

/** First phase: every unit that has a router on the folder builds the changes aside. */
export async function prepareDeploy(
  units: readonly UnitLink[],
  directory: string,
  planned: readonly PlannedChange[],
): Promise<PreparedDeploy> {
  const deploy = ++deploys
  const concerned = units.filter((unit) => unit.hasOpen(directory))
  const changes = planned.map(({ change }) => change)
  const answers = await Promise.all(concerned.map((unit) => unit.prepare(deploy, directory, changes)))
  if (concerned.length > 0 && answers.every((answer) => answer === null)) {
    // If the deploy crashed them, their replacements would crash too.
    const each = planned.map((change) => [change, [{ pointer: '', message: NO_UNIT_LEFT }]] as const)
    return { problems: new Map(each), sought: new Map(), commit: async () => {} }
  }
  const problems = new Map<PlannedChange, Problem[]>()
  const sought = new Map<PlannedChange, Set<string>>()
  for (const found of answers.flatMap((answer) => answer ?? [])) {
    const change = planned[found.change] as PlannedChange
    sought.set(change, new Set([...(sought.get(change) ?? []), ...(found.files ?? [])]))
    const known = problems.get(change) ?? []
    // Units usually report the same problems.
    const said = new Set(known.map(textOf))
    problems.set(change, known.concat(found.problems.filter((problem) => !said.has(textOf(problem)))))
  }
  return {
    problems,
    sought,
    commit: async (accepted) => {
      const isAccepted = new Set(accepted)
      const positions = [...planned.keys()].filter((at) => isAccepted.has(planned[at] as PlannedChange))
      await Promise.all(concerned.map((unit) => unit.commit(deploy, positions)))
    },
  }
}

const NO_UNIT_LEFT =
  'every unit ended while it built this deploy, so that nothing changed; see the log for the reason, then change the file or send SIGHUP to try again'

function textOf({ pointer, message }: Problem): string {
  return `${pointer}\n${message}`
}
