/** Top-level names of an expression; `undefined` for an unbound name, which evaluates to null. */
export interface Scope {
  lookup(name: string): unknown
  /** Called for problems that do not fail the evaluation, such as an invalid regular expression from a request. */
  warn?(message: string): void
}

/** A scope of the own entries of `bindings`, then of `parent`. */
export function scopeOf(bindings: Readonly<Record<string, unknown>>, parent?: Scope): Scope {
  const lookup = (name: string): unknown => {
    if (Object.hasOwn(bindings, name)) return bindings[name]
    return parent?.lookup(name)
  }
  if (parent?.warn === undefined) return { lookup }
  return { lookup, warn: (message) => parent.warn?.(message) }
}
