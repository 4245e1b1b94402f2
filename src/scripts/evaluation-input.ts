import type { Exchange, Handler } from '#http'
import type { ResultShape } from './evaluation-port.ts'

export interface EvaluationInput {
  readonly exchange: Exchange
  readonly result: ResultShape
  /** The handler after a filter. */
  readonly next?: Handler
  /** The token to resolve. */
  readonly token?: string
  /** Further bindings of this evaluation, by name. */
  readonly values?: Readonly<Record<string, unknown>>
}
