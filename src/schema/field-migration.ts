import type { JsonObject } from '#json'

/** Rewrites deprecated fields of a configuration in files. Unlike older spellings they are decoded as they are written. */
export interface FieldMigration {
  readonly fields: readonly string[]
  /** Whether it needs a file for a secret: it is applied only where secrets are moved to files. */
  readonly movesSecret?: boolean
  /**
   * The members that replace the given fields. `others` has all other members; null in a result removes one of them. Null where
   * a person has to decide.
   */
  migrate(given: JsonObject, others: JsonObject): JsonObject | null
}

/** A field whose value has no effect. */
export function withoutField(...fields: string[]): FieldMigration {
  return { fields, migrate: () => ({}) }
}
