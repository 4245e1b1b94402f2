import { isCase } from '../runtime/is-case.ts'
import { loop, NEXT } from '../runtime/iterate.ts'
import { after, andThen, type Maybe, PENDING } from '../runtime/pending.ts'
import type { Statement, SwitchCase, SwitchExpressionNode, SwitchNode } from '../syntax/ast.ts'
import type { Value } from '../values/value.ts'
import { type Context, within } from './context.ts'
import { compileExpression } from './expressions.ts'
import { type Exec, type Frame, Jump, type Node, RESULT, RETURN } from './frame.ts'
import { returningLast } from './implicit-return.ts'
import { compileStatements } from './statements.ts'

export function compileSwitch({ value, cases }: SwitchNode, context: Context): Exec {
  const subject = compileExpression(value, context)
  context.scope.breakDepth += 1
  const [labels, bodies] = context.scope.inBlock(() => [
    cases.map(({ labels: each }) => each.map((label) => compileExpression(label, context))),
    cases.map((each) => compileCase(each, context)),
  ])
  context.scope.breakDepth -= 1
  const otherwise = cases.findIndex((each) => each.labels.length === 0)
  const select = selector(labels, otherwise)
  return (frame) =>
    andThen(subject(frame), (tested) =>
      andThen(select(frame, tested), (index) => handleBreak(runFrom(frame, bodies, index as number))),
    )
}

function compileCase({ body, isArrow }: SwitchCase, context: Context): Exec {
  if (!isArrow) return compileStatements(body, context)
  const exec = context.scope.inBlock(() => compileStatements(body, context))
  return (frame) => andThen(exec(frame), (jump) => jump ?? BREAK)
}

const BREAK = new Jump('break')

/** `break` without a label ends the switch. */
function handleBreak(jump: Maybe): Maybe {
  if (jump === PENDING) return after(handleBreak)
  return jump instanceof Jump && jump.to === 'break' && jump.label === null ? null : jump
}

/** Index of the case for a value; the number of cases without a match. */
function selector(labels: readonly (readonly Node[])[], otherwise: number): (frame: Frame, tested: Value) => Maybe {
  const all = labels.flatMap((each, index) => each.map((label) => ({ label, index })))
  const none = otherwise < 0 ? labels.length : otherwise
  return (frame, tested) =>
    loop(
      all,
      ({ label }) => andThen(label(frame), (candidate) => isCase(candidate, tested)),
      (found, { index }) => (found === true ? index : NEXT),
      () => none,
    )
}

/** Runs a case and falls through to the following ones until one ends the switch. */
function runFrom(frame: Frame, bodies: readonly Exec[], from: number): Maybe {
  for (let index = from; index < bodies.length; index++) {
    const jump = bodies[index]!(frame)
    if (jump === null) continue
    if (jump !== PENDING) return jump
    const next = index + 1
    return after((late) => (late === null ? runFrom(frame, bodies, next) : late))
  }
  return null
}

/** A switch expression, with `->` or `yield`. A `return` in it would leave only the switch, so it is rejected. */
export function compileSwitchExpression({ body, position }: SwitchExpressionNode, context: Context): Node {
  const { cases } = body
  for (const each of cases) rejectReturn(each.body, context)
  const changed = cases.map((each) => ({ ...each, body: each.isArrow ? returningLast(each.body) : each.body }))
  const exec = compileSwitch(
    { kind: 'switch', value: body.value, cases: changed, position },
    within(context, context.scope),
  )
  return (frame) => {
    const before = frame[RESULT]
    const finish = (jump: Value): Value => {
      const value = jump === RETURN ? (frame[RESULT] as Value) : null
      frame[RESULT] = before
      return value
    }
    return andThen(exec(frame), finish)
  }
}

function rejectReturn(statements: readonly Statement[], { unit }: Context): void {
  const found = statements.find(({ kind }) => kind === 'return')
  if (found !== undefined) throw unit.fail('a switch expression can not return; use yield', found.position)
}
