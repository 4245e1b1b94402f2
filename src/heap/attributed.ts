import type { Kind, Typed } from '#schema'

/** The object with its kind; its faults are reported under its name. */
export function attributed(kind: Kind | null, created: unknown, qualified: string): Typed {
  return kind === null ? (created as Typed) : { kind, value: kind.attribute?.(created, qualified) ?? created }
}
