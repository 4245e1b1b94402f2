import type { JsonValue } from '#json'

/** A member of an object in the current spelling, and the key of the member that it replaces. */
export interface NewMember {
  readonly name: string
  readonly key: string
  readonly value: JsonValue
}

/** A value of a document in an old spelling, and its current one. */
export type Change =
  | { readonly kind: 'members'; readonly pointer: string; readonly members: readonly NewMember[] }
  | { readonly kind: 'elements'; readonly pointer: string; readonly kept: ReadonlySet<number> }
  | { readonly kind: 'appended'; readonly pointer: string; readonly value: JsonValue }
  | { readonly kind: 'value'; readonly pointer: string; readonly value: JsonValue }
