import type { Exchange } from './exchange.ts'

/** Key of the lazy members in the value of a context. */
export const lazyMembers: unique symbol = Symbol('lazyMembers')

/** The value of a context with lazy members. */
export interface WithLazyMembers {
  /** Loader of each member. */
  readonly [lazyMembers]: Readonly<Record<string, () => Promise<void>>>
}

/**
 * Loads the lazy members of contexts whose names occur in a text: scripts read values synchronously. Null without such
 * members.
 */
export function loadLazyMembers(exchange: Exchange, text: string): Promise<unknown> | null {
  let loading: Promise<void>[] | null = null
  for (let link = exchange.contexts; link !== null; link = link.parent) {
    const members = (link.value as Partial<WithLazyMembers>)[lazyMembers]
    if (members === undefined) continue
    for (const [name, load] of Object.entries(members)) {
      if (!text.includes(name)) continue
      loading ??= []
      loading.push(load())
    }
  }
  return loading === null ? null : Promise.all(loading)
}
