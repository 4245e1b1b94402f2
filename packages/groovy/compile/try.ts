// try, catch and finally. They apply only to exceptions of scripts: exceeded limits and faults of the host skip all of
// them.

import { callDepth, restoreDepth } from '../meter.ts'
import { invokeMethod } from '../runtime/invoke.ts'
import { after, afterEither, andThen, type Maybe, PENDING } from '../runtime/pending.ts'
import type { CatchClause, Statement, TryNode } from '../syntax/ast.ts'
import type { ClassInfo } from '../values/class-info.ts'
import { ExceptionClass } from '../values/exceptions.ts'
import { ThrowableValue } from '../values/throwable.ts'
import type { Reference, Value } from '../values/value.ts'
import type { Context } from './context.ts'
import { compileExpression } from './expressions.ts'
import { type Exec, type Frame, RESULT } from './frame.ts'
import type { LocalVariable } from './scope.ts'
import { compileBlock, compileStatement, declareVariable, initialiser } from './statements.ts'

export function compileTry(node: TryNode, context: Context): Exec {
  return context.scope.inBlock(() => {
    const body = compileResources(node.resources, node, context)
    const guarded = node.catches.length === 0 ? body : withCatches(body, node.catches, context)
    return node.finally === null ? guarded : withFinally(guarded, compileBlock(node.finally, context))
  })
}

interface Handler {
  readonly types: readonly ClassInfo[]
  readonly store: (frame: Frame, value: Value) => Maybe
  readonly exec: Exec
}

function withCatches(body: Exec, clauses: readonly CatchClause[], context: Context): Exec {
  const handlers = clauses.map((each) => compileCatch(each, context))
  const handle = (frame: Frame, error: unknown): Maybe => {
    if (!(error instanceof ThrowableValue)) throw error
    const handler = handlers.find(({ types }) => types.some((type) => error.klass.isSubclassOf(type)))
    if (handler === undefined) throw error
    handler.store(frame, error)
    return handler.exec(frame)
  }
  return (frame) => {
    const depth = callDepth()
    try {
      const jump = body(frame)
      return jump === PENDING ? afterEither(same, (error) => handle(frame, error)) : jump
    } catch (error) {
      restoreDepth(depth)
      return handle(frame, error)
    }
  }
}

const same = (value: Value): Value => value

function compileCatch({ types, name, body, position }: CatchClause, context: Context): Handler {
  return context.scope.inBlock(() => ({
    types: types.length === 0 ? [ExceptionClass] : types.map((type) => context.unit.classOfType(type)),
    store: initialiser(declareVariable(name, null, false, position, context)),
    exec: compileBlock(body, context),
  }))
}

function withFinally(body: Exec, last: Exec): Exec {
  /** Runs `finally`, then continues with the outcome of the body, unless `finally` jumps. */
  const finish = (frame: Frame, proceed: () => Maybe): Maybe => {
    const result = frame[RESULT]
    return andThen(last(frame), (jump) => {
      if (jump !== null) return jump
      frame[RESULT] = result
      return proceed()
    })
  }
  const fail = (frame: Frame, error: unknown): Maybe => {
    if (!(error instanceof ThrowableValue)) throw error
    return finish(frame, () => {
      throw error
    })
  }
  return (frame) => {
    const depth = callDepth()
    let jump: Maybe
    try {
      jump = body(frame)
    } catch (error) {
      restoreDepth(depth)
      return fail(frame, error)
    }
    if (jump !== PENDING) return finish(frame, () => jump)
    return afterEither(
      (late) => finish(frame, () => late),
      (error) => fail(frame, error),
    )
  }
}

/** The body of `try (def x = ...)`: resources are closed in reverse order. */
function compileResources(resources: readonly Statement[], node: TryNode, context: Context): Exec {
  const [first, ...rest] = resources
  if (first === undefined) return compileBlock(node.body, context)
  const open = compileOpen(first, context)
  const body = compileResources(rest, node, context)
  const guarded = withClose(body, open.read)
  return (frame) => {
    const opened = open.exec(frame)
    return opened === PENDING ? after(() => guarded(frame)) : guarded(frame)
  }
}

function compileOpen(statement: Statement, context: Context): { exec: Exec; read: (frame: Frame) => Value } {
  if (statement.kind === 'declaration') {
    const exec = compileStatement(statement, context)
    const variable = context.scope.find(statement.variables[0]!.name) as LocalVariable
    return { exec, read: (frame) => readSlot(frame, variable) }
  }
  if (statement.kind !== 'expression') throw context.unit.fail('expected a resource', statement.position)
  const slot = context.scope.newSlot()
  const node = compileExpression(statement.expression, context)
  const exec: Exec = (frame) =>
    andThen(node(frame), (value) => {
      frame[slot] = value
      return null
    })
  return { exec, read: (frame) => frame[slot] as Value }
}

function readSlot(frame: Frame, { slot, shared }: LocalVariable): Value {
  return shared ? (frame[slot] as Reference).value : (frame[slot] as Value)
}

/** Closes a resource after a body; an exception of `close` is suppressed by that of the body. */
function withClose(body: Exec, read: (frame: Frame) => Value): Exec {
  const close = (frame: Frame): Maybe => {
    const resource = read(frame)
    return resource === null ? null : invokeMethod(resource, 'close', [])
  }
  const fail = (frame: Frame, error: unknown): Maybe => {
    if (!(error instanceof ThrowableValue)) throw error
    const rethrow = (): Value => {
      throw error
    }
    const suppress = (second: unknown): Value => {
      if (!(second instanceof ThrowableValue)) throw second
      error.suppressed.push(second)
      throw error
    }
    let closed: Maybe
    try {
      closed = close(frame)
    } catch (second) {
      return suppress(second)
    }
    return closed === PENDING ? afterEither(rethrow, suppress) : rethrow()
  }
  return (frame) => {
    let jump: Maybe
    try {
      jump = body(frame)
    } catch (error) {
      return fail(frame, error)
    }
    if (jump !== PENDING) return andThen(close(frame), () => jump)
    return afterEither(
      (late) => andThen(close(frame), () => late),
      (error) => fail(frame, error),
    )
  }
}
