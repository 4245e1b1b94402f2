import type { Exchange, Handler } from '#http'
import type { ResultShape } from './evaluation-port.ts'

/** What an evaluation is about. */
export interface EvaluationInput {
  readonly exchange: Exchange
  readonly result: ResultShape
  /** What comes after a filter. */
  readonly next?: Handler
  /** The token that a resolver is asked about. */
  readonly token?: string
  /** Further data that the script sees in this evaluation, by the names that its program has for it. */
  readonly values?: Readonly<Record<string, unknown>>
}
