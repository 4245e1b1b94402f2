/** Top-level names of an expression; `undefined` for an unbound name, which evaluates to null. */
export interface Scope {
  lookup(name: string): unknown
  /** The names that are bound, for completion in editors. */
  names?(): Iterable<string>
  /** Called for problems that do not fail the evaluation, such as an invalid regular expression from a request. */
  warn?(message: string): void
}

/** A scope of the own entries of `bindings`, then of `parent`. */
export function scopeOf(bindings: Readonly<Record<string, unknown>>, parent?: Scope): Scope {
  const lookup = (name: string): unknown => {
    if (Object.hasOwn(bindings, name)) return bindings[name]
    return parent?.lookup(name)
  }
  const names = () => new Set([...Object.keys(bindings), ...(parent?.names?.() ?? [])])
  if (parent?.warn === undefined) return { lookup, names }
  return { lookup, names, warn: (message) => parent.warn?.(message) }
}
