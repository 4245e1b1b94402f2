/** Where the top-level names of an expression come from; `undefined` means not bound, which evaluates to null. */
export interface Scope {
  lookup(name: string): unknown
  /** Called for faults that do not fail the evaluation, such as a bad regular expression that came from a request. */
  warn?(message: string): void
}

/** Makes a scope of own entries of `bindings`, falling back to `parent`. */
export function scopeOf(bindings: Readonly<Record<string, unknown>>, parent?: Scope): Scope {
  const lookup = (name: string): unknown => {
    if (Object.hasOwn(bindings, name)) return bindings[name]
    return parent?.lookup(name)
  }
  if (parent?.warn === undefined) return { lookup }
  return { lookup, warn: (message) => parent.warn?.(message) }
}
