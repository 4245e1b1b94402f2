import { andThen } from '../runtime/pending.ts'
import type { AssertNode, Expression } from '../syntax/ast.ts'
import { AssertionError, PowerAssertionError } from '../values/exceptions.ts'
import { textOf } from '../values/text.ts'
import { throwable } from '../values/throwable.ts'
import { truth } from '../values/truth.ts'
import type { Value } from '../values/value.ts'
import { renderAssertion } from './assertion-text.ts'
import type { Context } from './context.ts'
import { compileExpression } from './expressions.ts'
import type { Exec, Frame, Node } from './frame.ts'

/** A value that a part of an assertion had, and the column below which it is shown. */
export interface Recorded {
  readonly column: number
  readonly value: Value
}

export function compileAssert({ condition, message, text, textPosition }: AssertNode, context: Context): Exec {
  if (message !== null) return compileWithMessage(condition, message, text, context)
  // A condition of several lines is shown without values, which would be below the wrong line.
  const isOneLine = !text.includes('\n')
  const slot = context.scope.newSlot()
  const start = textPosition.column - 'assert '.length
  const node = compileExpression(condition, { ...context, record: isOneLine ? { slot, start } : null })
  return (frame) => {
    frame[slot] = []
    return andThen(node(frame), (value) => {
      if (truth(value)) return null
      const made = throwable(PowerAssertionError, renderAssertion(`assert ${text}`, frame[slot] as Recorded[]))
      frame[slot] = null
      throw made
    })
  }
}

function compileWithMessage(condition: Expression, message: Expression, text: string, context: Context): Exec {
  const [test, note] = [compileExpression(condition, context), compileExpression(message, context)]
  const shown = condition.kind === 'binary' ? `(${text})` : text
  return (frame) =>
    andThen(test(frame), (value) => {
      if (truth(value)) return null
      return andThen(note(frame), (said) => {
        throw throwable(AssertionError, `${textOf(said)}. Expression: ${shown}`)
      })
    })
}

/** Wraps a part of an assertion to record its value. */
export function recorded(expression: Expression, node: Node, { record }: Context): Node {
  const column = columnOf(expression)
  if (column === null || record === null) return node
  const { slot, start } = record
  const keep = (frame: Frame, value: Value): Value => {
    ;(frame[slot] as Recorded[] | null)?.push({ column: column - start + 1, value })
    return value
  }
  return (frame) => andThen(node(frame), (value) => keep(frame, value))
}

/** The column below which Groovy shows the value of a part; null for parts without one. */
function columnOf(expression: Expression): number | null {
  switch (expression.kind) {
    case 'variable':
      return expression.position.column
    case 'property':
    case 'call':
      return expression.namePosition.column
    case 'binary':
    case 'instanceof':
      return expression.operatorPosition.column
    case 'unary':
    case 'callValue':
    case 'new':
      return expression.position.column
    case 'index':
      return expression.bracket.column
    default:
      return null
  }
}
