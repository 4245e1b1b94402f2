/** An expression, left value or literal regular expression that cannot be compiled; thrown when the configuration is loaded. */
export class ExpressionSyntaxError extends Error {
  override readonly name = 'ExpressionSyntaxError'
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

/** A failed evaluation. The caller decides the effect: a condition is false, elsewhere 500; never null. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError'
}
