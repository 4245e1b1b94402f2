import { type BodyReads, compile, EvaluationError, type Expression, PendingValueError } from '#expression'
import { BodyTooLargeError, type Exchange, type Response } from '#http'
import { shown } from './problem.ts'

/** JSON Schema of an expression; every generated schema has the definition. */
export const EXPRESSION_SCHEMA = { $ref: '#/$defs/Expression' }

/** A literal in the shape of an expression. */
export function constant(value: unknown): Expression {
  const reads = { requestBody: false, responseBody: false }
  return { source: shown(value), constant: true, reads, segments: [], evaluate: () => value }
}

/** Null where compilation fails; the error is reported. */
export function compiled(text: string, report: (message: string) => void): Expression | null {
  try {
    return compile(text)
  } catch (error) {
    report(`${shown(text)} is not a valid expression: ${(error as Error).message}`)
    return null
  }
}

/** Evaluates again after the pending value is fetched. Rethrows every other error. */
export function afterPending<T>(error: unknown, evaluate: () => T | Promise<T>): Promise<T> {
  if (!(error instanceof PendingValueError)) throw error
  return error.ready.then(evaluate)
}

/**
 * Buffers the bodies that the evaluation may read in the exchange's temporary storage, then runs it. A body that exceeds the
 * storage stays readable as a stream; throws BodyTooLargeError where the evaluation reads it.
 */
export function withBodies<T>(
  reads: BodyReads,
  exchange: Exchange,
  response: Response | null,
  evaluate: () => T | Promise<T>,
): T | Promise<T> {
  const { storage, request } = exchange
  const asked = reads.requestBody && !request.body.isBuffered ? request.body.bufferIfFits(storage) : null
  const answered =
    reads.responseBody && response !== null && !response.body.isBuffered ? response.body.bufferIfFits(storage) : null
  if (asked === null && answered === null) return evaluate()
  return Promise.all([asked, answered]).then(async () => {
    try {
      return await evaluate()
    } catch (error) {
      throw error instanceof EvaluationError && error.cause instanceof BodyTooLargeError ? error.cause : error
    }
  })
}
