import { compile, type Expression } from '#expression'
import type { Exchange, Response } from '#http'
import { shown } from './problem.ts'

/** A text with an expression, as JSON Schema; every schema that is made holds the definition. */
export const EXPRESSION_SCHEMA = { $ref: '#/$defs/Expression' }

/** A literal in the shape of an expression. */
export function constant(value: unknown): Expression {
  const reads = { requestBody: false, responseBody: false }
  return { source: shown(value), constant: true, reads, segments: [], evaluate: () => value }
}

/** Compiles a text, reporting what is wrong with it. */
export function compiled(text: string, report: (message: string) => void): Expression | null {
  try {
    return compile(text)
  } catch (error) {
    report(`${JSON.stringify(text)} is not a valid expression: ${(error as Error).message}`)
    return null
  }
}

/** Bodies that an expression looks into are buffered first, within the exchange's temporary storage. */
export function bodiesToRead(
  { reads }: Pick<Expression, 'reads'>,
  exchange: Exchange,
  response: Response | null,
): Promise<unknown> | null {
  const { body } = exchange.request
  const request = reads.requestBody && !body.isBuffered ? body.buffer(exchange.storage) : null
  const answer = reads.responseBody && response !== null && !response.body.isBuffered
  if (!answer) return request
  return Promise.all([request, response.body.buffer(exchange.storage)])
}
