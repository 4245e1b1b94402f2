import { isObject } from './canvas-model.ts'

/** What a type says about its place in a chain. */
export interface ChainRole {
  readonly _id: string
  /** Contexts that it adds to requests. */
  readonly provides: readonly string[]
  /** Contexts that it needs. */
  readonly needs: readonly string[]
  /** Types that stand before it. */
  readonly after: readonly string[]
}

/** The index nearest to `wanted` at which a new filter works together with those of a list. */
export function indexInOrder(
  type: string,
  filters: readonly unknown[],
  wanted: number,
  { heap, roles }: { readonly heap: unknown; readonly roles: readonly ChainRole[] },
): number {
  const byType = new Map(roles.map((role) => [role._id, role]))
  const added = byType.get(type)
  if (added === undefined) return wanted
  const present = filters.map((filter) => byType.get(typeOf(filter, heap) ?? ''))
  const first = 1 + present.findLastIndex((role) => role !== undefined && standsBefore(role, added))
  const last = present.findIndex((role) => role !== undefined && standsBefore(added, role))
  if (wanted < first) return first
  // With filters in another order than theirs there is no such place.
  return last >= first && wanted > last ? last : wanted
}

function standsBefore(first: ChainRole, second: ChainRole): boolean {
  return second.after.includes(first._id) || second.needs.some((context) => first.provides.includes(context))
}

/** The type of a filter that is declared in the list, or named there and declared in the heap. */
function typeOf(filter: unknown, heap: unknown): string | null {
  const named = (object: unknown) => isObject(object) && object['name'] === filter
  const declared = typeof filter === 'string' ? (Array.isArray(heap) ? heap : []).find(named) : filter
  return isObject(declared) && typeof declared['type'] === 'string' ? declared['type'] : null
}
