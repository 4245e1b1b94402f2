import type { Pattern } from '#schema'

const patterns = new Set<Pattern>()

/** Masks header fields in traces by their names, as the `masks` of captures; returns the function that ends it. */
export function maskHeaders(added: readonly Pattern[]): () => void {
  for (const pattern of added) patterns.add(pattern)
  return () => {
    for (const pattern of added) patterns.delete(pattern)
  }
}

export function isMaskedHeader(name: string): boolean {
  for (const pattern of patterns) if (pattern.test(name)) return true
  return false
}
