// Edits that wait for the store, while scans deploy what others have written to it.
import type { RouteFile } from './route-files.ts'
import type { PlannedChange } from './route-plan.ts'

type RouteFiles = ReadonlyMap<string, RouteFile>

/** Edits of files that are as they were known, and the positions of their changes. */
export function notOvertaken(
  edits: ReadonlyMap<string, RouteFile | null>,
  planned: readonly PlannedChange[],
  known: RouteFiles,
  now: RouteFiles,
): { readonly own: ReadonlyMap<string, RouteFile | null>; readonly accepted: readonly number[] } {
  const own = new Map([...edits].filter(([file]) => isSameFile(now.get(file), known.get(file))))
  const accepted = [...planned.keys()].filter((at) => own.has((planned[at] as PlannedChange).file))
  return { own, accepted }
}

export function isSameFile(one: RouteFile | undefined, other: RouteFile | undefined): boolean {
  return one === other || (one !== undefined && one.text === other?.text && one.text !== '')
}

/** Whether two plans for one file change the same routes in the same way. */
export function isSamePlan(one: readonly PlannedChange[], other: readonly PlannedChange[]): boolean {
  const textOf = ({ change }: PlannedChange) =>
    'put' in change ? `put ${change.put.id} ${change.put.revision}` : `remove ${change.remove}`
  return one.map(textOf).join('\n') === other.map(textOf).join('\n')
}
