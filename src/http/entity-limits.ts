/** How much of a body expressions and scripts may look into (`entityLimits` of admin.json). */
export interface EntityLimits {
  /** Bytes, after content codings are undone. */
  readonly bytes: number
  /** Values of JSON, or fields of a form. */
  readonly values: number
}

/** What holds where admin.json says nothing. */
export const DEFAULT_ENTITY_LIMITS: EntityLimits = { bytes: 1_048_576, values: 10_000 }

/** For content that the gateway or a script made itself. */
export const NO_ENTITY_LIMITS: EntityLimits = { bytes: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY }

/** Content that is more than expressions and scripts may look into. */
export class EntityTooLargeError extends Error {
  override readonly name = 'EntityTooLargeError'
  readonly code = 'GW_ENTITY_TOO_LARGE'

  constructor(found: string) {
    super(`entity: ${found} may not be looked into; see entityLimits of admin.json`)
  }
}
