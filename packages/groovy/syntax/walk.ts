/** Syntax tree nodes and their parts. */
type Part = object

/** Calls a function with a part of the tree and, unless it returns false, with all nested parts. */
export function walk(part: Part, visit: (part: Part & { readonly kind?: string }) => boolean | undefined): void {
  if (visit(part) === false) return
  for (const inner of Object.values(part)) {
    if (Array.isArray(inner)) {
      for (const each of inner) if (isPart(each)) walk(each, visit)
    } else if (isPart(inner)) walk(inner, visit)
  }
}

/** Literal values and sets of modifiers are not parts of the tree. */
function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
