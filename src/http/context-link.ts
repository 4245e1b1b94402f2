/** Names a kind of context and the type of its value. */
export interface ContextKey<T> {
  readonly name: string
  readonly type?: T
}

/** Makes the key of a context; expressions reach it as `contexts.<name>`. */
export function contextKey<T extends object>(name: string): ContextKey<T> {
  return { name }
}

/** One added context and those before it. */
export interface ContextLink {
  readonly name: string
  readonly value: object
  readonly parent: ContextLink | null
}

/** The nearest link of a name. */
export function findLink(link: ContextLink | null, name: string): ContextLink | null {
  for (let each = link; each !== null; each = each.parent) if (each.name === name) return each
  return null
}

/** The value of the nearest context with that key's name. */
export function findContext<T extends object>(link: ContextLink | null, key: ContextKey<T>): T | null {
  return (findLink(link, key.name)?.value as T | undefined) ?? null
}
