import type { Exchange } from './exchange.ts'

/** The key under which the value of a context names its members that are fetched when they are first read. */
export const lazyMembers: unique symbol = Symbol('lazyMembers')

/** The value of a context with such members. */
export interface WithLazyMembers {
  /** Member to the function that fetches it. */
  readonly [lazyMembers]: Readonly<Record<string, () => Promise<void>>>
}

/**
 * Fetches the lazy members of contexts whose names a text mentions: scripts read values at once and can not wait for them
 * later. Null if missing.
 */
export function loadMentioned(exchange: Exchange, text: string): Promise<unknown> | null {
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
