import type { ObjectState } from '#schema'

/** One check of a health endpoint. */
export interface HealthCheck {
  readonly name: string
  readonly ok: boolean
  /** Set for objects that may be degraded, which does not make the gateway unready. */
  readonly state?: ObjectState
  readonly detail?: string
}
