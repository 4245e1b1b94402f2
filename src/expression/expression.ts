import { write } from './access.ts'
import type { Segment } from './ast.ts'
import { type BodyReads, bodyReads } from './body-reads.ts'
import { toText } from './coercion.ts'
import { compileNode, type Evaluate } from './compile.ts'
import { foldConstants } from './constant-folding.ts'
import { EvaluationError, ExpressionSyntaxError } from './errors.ts'
import { enterEvaluation, leaveEvaluation, PendingValueError } from './lazy-value.ts'
import { parseTemplate } from './parser.ts'
import type { Scope } from './scope.ts'
import { maxStringLength } from './values.ts'

/** A compiled template: plain text, one `${...}` whose result keeps its type, or text with several of them. */
export interface Expression {
  readonly source: string
  /** True where the text has no expression. */
  readonly constant: boolean
  readonly reads: BodyReads
  /** The parsed parts, for analyses such as `conditionFacts` and `lint`. */
  readonly segments: readonly Segment[]
  /**
   * Throws an `EvaluationError` where the evaluation fails, a `PendingValueError` where a lazy value must be fetched first.
   */
  evaluate(scope: Scope): unknown
}

/** A compiled assignment target, such as `${attributes.user}`. */
interface LeftValue {
  readonly source: string
  readonly segments: Expression['segments']
  readonly reads: BodyReads
  assign(scope: Scope, value: unknown): void
}

/** Compiles a text that may have expressions; throws an `ExpressionSyntaxError`. */
export function compile(text: string): Expression {
  const segments = parseTemplate(text)
  return {
    source: text,
    constant: segments.every((segment) => typeof segment === 'string'),
    reads: bodyReads(segments),
    segments,
    evaluate: guarded(compileSegments(segments)),
  }
}

function compileSegments(segments: readonly Segment[]): Evaluate {
  const [only] = segments
  if (only === undefined) return () => ''
  if (segments.length === 1) return typeof only === 'string' ? () => only : compileNode(foldConstants(only))
  const parts = segments.map((segment) => (typeof segment === 'string' ? segment : compileNode(foldConstants(segment))))
  return (scope) => {
    let text = ''
    for (const part of parts) text += typeof part === 'string' ? part : toText(part(scope))
    if (text.length > maxStringLength)
      throw new EvaluationError(`the text is longer than ${maxStringLength} characters`)
    return text
  }
}

/** Compiles an assignment target: exactly one `${...}` that ends in a property or an index. */
export function compileLeftValue(text: string): LeftValue {
  const segments = parseTemplate(text)
  const [node] = segments
  if (segments.length !== 1 || typeof node !== 'object' || node.type !== 'member') {
    throw new ExpressionSyntaxError('expected a place to assign to, such as ${attributes.name}', 0)
  }
  const target = guarded(compileNode(node.target))
  const key = guarded(compileNode(node.key))
  const assign = (scope: Scope, value: unknown): void => write(target(scope), key(scope), value, scope)
  return { source: text, reads: bodyReads([node.target, node.key]), segments, assign: guardedAssignment(assign) }
}

/** Every exception of a host object is an EvaluationError, except PendingValueError. */
function guarded(evaluate: Evaluate): Evaluate {
  return (scope) => {
    enterEvaluation()
    try {
      return evaluate(scope)
    } catch (error) {
      throw asEvaluationError(error)
    } finally {
      leaveEvaluation()
    }
  }
}

function guardedAssignment(assign: LeftValue['assign']): LeftValue['assign'] {
  return (scope, value) => {
    enterEvaluation()
    try {
      assign(scope, value)
    } catch (error) {
      throw asEvaluationError(error)
    } finally {
      leaveEvaluation()
    }
  }
}

function asEvaluationError(error: unknown): EvaluationError | PendingValueError {
  if (error instanceof EvaluationError || error instanceof PendingValueError) return error
  return new EvaluationError(error instanceof Error ? error.message : 'evaluation failed', { cause: error })
}
