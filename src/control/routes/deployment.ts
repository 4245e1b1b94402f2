import type { RouteChange } from '#contracts'
import type { Problem } from '#schema'
import type { UnitLink } from '../units/unit-link.ts'

/** Result of the first phase of a deploy, and the call of the second. */
interface Deployment {
  /** Problems by the position of the change; a change without an entry was built by every unit. */
  readonly problems: ReadonlyMap<number, readonly Problem[]>
  /** Files that were read or sought for the changes that have problems. */
  readonly files: ReadonlyMap<number, ReadonlySet<string>>
  /** Swaps the given changes in, in every unit; the rest is discarded. */
  commit(accepted: readonly number[]): Promise<void>
}

let deploys = 0

/** First phase: every unit that has a router on the folder builds the changes aside. */
export async function prepareDeployment(
  units: readonly UnitLink[],
  directory: string,
  changes: readonly RouteChange[],
): Promise<Deployment> {
  const deploy = ++deploys
  const concerned = units.filter((unit) => unit.hasOpen(directory))
  const answers = await Promise.all(concerned.map((unit) => unit.prepare(deploy, directory, changes)))
  if (concerned.length > 0 && answers.every((answer) => answer === null)) {
    // If the deploy crashed them, their replacements would crash too.
    const each = changes.map((_, change) => [change, [{ pointer: '', message: NO_UNIT_LEFT }]] as const)
    return { problems: new Map(each), files: new Map(), commit: async () => {} }
  }
  const problems = new Map<number, Problem[]>()
  const files = new Map<number, Set<string>>()
  for (const found of answers.flatMap((answer) => answer ?? [])) {
    files.set(found.change, new Set([...(files.get(found.change) ?? []), ...(found.files ?? [])]))
    const known = problems.get(found.change) ?? []
    // Units usually report the same problems.
    const said = new Set(known.map(textOf))
    problems.set(found.change, known.concat(found.problems.filter((problem) => !said.has(textOf(problem)))))
  }
  return {
    problems,
    files,
    commit: async (accepted) => {
      await Promise.all(concerned.map((unit) => unit.commit(deploy, accepted)))
    },
  }
}

const NO_UNIT_LEFT =
  'every unit ended while it built this deploy, so that nothing changed; see the log for the reason, then change the file or send SIGHUP to try again'

function textOf({ pointer, message }: Problem): string {
  return `${pointer}\n${message}`
}
