import { tick } from '../meter.ts'
import { iterationOf } from '../runtime/items.ts'
import { after, andThen, type Maybe, PENDING } from '../runtime/pending.ts'
import type { ForInNode, ForNode, Statement, WhileNode } from '../syntax/ast.ts'
import { truth } from '../values/truth.ts'
import type { Value } from '../values/value.ts'
import { writerOf } from './assignment.ts'
import type { Context } from './context.ts'
import { compileExpression } from './expressions.ts'
import { type Exec, type Frame, Jump, type Node } from './frame.ts'
import { compileBody, compileStatement, declareVariable, sharedInitialiser } from './statements.ts'

/** Result of the body of a loop: continue, or end with this outcome. */
const GO_ON: unique symbol = Symbol('go on')

/** The effect of a jump out of a body on its loop. */
function outcomeOf(jump: Value, label: string | null): Value | typeof GO_ON {
  if (jump === null) return GO_ON
  if (!(jump instanceof Jump) || jump.to === 'return') return jump
  const isOurs = jump.label === null || jump.label === label
  if (!isOurs) return jump
  return jump.to === 'continue' ? GO_ON : null
}

function compileLoopBody(body: Statement, context: Context): Exec {
  context.scope.loopDepth += 1
  context.scope.breakDepth += 1
  const exec = compileBody(body, context)
  context.scope.loopDepth -= 1
  context.scope.breakDepth -= 1
  return exec
}

export function compileWhile({ kind, condition, body }: WhileNode, label: string | null, context: Context): Exec {
  const exec = compileLoopBody(body, context)
  const test = compileExpression(condition, context)
  return runLoop(test, exec, null, label, kind === 'doWhile')
}

/** Runs test, body and update in turn; each of them may suspend. */
function runLoop(test: Node | null, body: Exec, update: Exec | null, label: string | null, bodyFirst: boolean): Exec {
  const run = (frame: Frame, skipTest: boolean): Maybe => {
    for (let first = skipTest; ; first = false) {
      if (!first && test !== null) {
        const value = test(frame)
        if (value === PENDING) return after((late) => (truth(late) ? afterTest(frame) : null))
        if (!truth(value)) return null
      }
      tick()
      const jump = body(frame)
      if (jump === PENDING) return after((late) => afterBody(frame, late))
      const outcome = outcomeOf(jump, label)
      if (outcome !== GO_ON) return outcome
      if (update !== null && update(frame) === PENDING) return after(() => run(frame, false))
    }
  }
  const afterTest = (frame: Frame): Maybe => run(frame, true)
  const afterBody = (frame: Frame, jump: Value): Maybe => {
    const outcome = outcomeOf(jump, label)
    if (outcome !== GO_ON) return outcome
    return update === null ? run(frame, false) : andThen(update(frame), () => run(frame, false))
  }
  return (frame) => run(frame, bodyFirst)
}

export function compileFor(
  { initial, condition, update, body }: ForNode,
  label: string | null,
  context: Context,
): Exec {
  return context.scope.inBlock(() => {
    const starts = initial.map((each) => compileStatement(each, context))
    const test = condition === null ? null : compileExpression(condition, context)
    const exec = compileLoopBody(body, context)
    const steps = update.map((each) => compileExpression(each, context))
    const step = steps.length === 0 ? null : inTurn(steps)
    const loop = runLoop(test, exec, step, label, false)
    return (frame) => andThen(inTurn(starts)(frame), () => loop(frame))
  })
}

function inTurn(nodes: readonly Node[]): Node {
  const [only] = nodes
  if (nodes.length === 1 && only !== undefined) return only
  return (frame) => nodes.reduce<Maybe>((before, node) => andThen(before, () => node(frame)), null)
}

export function compileForIn({ variable, items, body }: ForInNode, label: string | null, context: Context): Exec {
  const source = compileExpression(items, context)
  return context.scope.inBlock(() => {
    const type = variable.type === null ? null : context.unit.classOfType(variable.type)
    const declared = declareVariable(variable.name, type, false, variable.position, context)
    const [prepare, store] = [sharedInitialiser(declared), writerOf(declared)]
    const exec = compileLoopBody(body, context)
    const run = (frame: Frame, iterator: Iterator<Value>): Maybe => {
      for (let { done, value } = iterator.next(); done !== true; { done, value } = iterator.next()) {
        tick()
        store(frame, value as Value)
        const jump = exec(frame)
        if (jump === null) continue
        if (jump === PENDING) {
          return after((late) => {
            const outcome = outcomeOf(late, label)
            return outcome === GO_ON ? run(frame, iterator) : outcome
          })
        }
        const outcome = outcomeOf(jump, label)
        if (outcome !== GO_ON) return outcome
      }
      return null
    }
    const begin = (value: Value, frame: Frame): Maybe => {
      // All iterations share one variable, also with closures created in them.
      if (declared.shared) prepare(frame, null)
      return run(frame, iterationOf(value)[Symbol.iterator]())
    }
    return (frame) => {
      const value = source(frame)
      return value === PENDING ? after((late) => begin(late, frame)) : begin(value, frame)
    }
  })
}
