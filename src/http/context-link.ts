/** Name of a context, typed by its value. */
export interface ContextKey<T> {
  readonly name: string
  readonly type?: T
}

/** Creates the key of a context, `contexts.<name>` in expressions. */
export function contextKey<T extends object>(name: string): ContextKey<T> {
  return { name }
}

/** One added context, linked to those before it. */
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
