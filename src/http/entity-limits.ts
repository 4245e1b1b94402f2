/** Limits on body content that expressions and scripts read (`entityLimits` of admin.json). */
export interface EntityLimits {
  /** Bytes, after content codings are undone. */
  readonly bytes: number
  /** Values of JSON, or fields of a form. */
  readonly values: number
  /** Digits of one number of JSON: arithmetic with long numbers takes long. */
  readonly digits: number
}

export const DEFAULT_ENTITY_LIMITS: EntityLimits = { bytes: 1_048_576, values: 10_000, digits: 1_000 }

/** For content created by the gateway or a script. */
export const NO_ENTITY_LIMITS: EntityLimits = {
  bytes: Number.POSITIVE_INFINITY,
  values: Number.POSITIVE_INFINITY,
  digits: Number.POSITIVE_INFINITY,
}

/** Body content over the entity limits. */
export class EntityTooLargeError extends Error {
  override readonly name = 'EntityTooLargeError'
  readonly code = 'GW_ENTITY_TOO_LARGE'

  constructor(found: string) {
    super(`entity: ${found}: over the limit for expressions and scripts; see entityLimits of admin.json`)
  }
}
