import { GroovyLimitError, type ScriptLocation } from '../meter.ts'
import { after, afterEither, andThen, type Maybe, PENDING } from '../runtime/pending.ts'
import type {
  BlockNode,
  DeclarationNode,
  IfNode,
  JumpNode,
  Position,
  ReturnNode,
  Statement,
  ThrowNode,
  TypeNode,
} from '../syntax/ast.ts'
import type { ClassInfo } from '../values/class-info.ts'
import { classOf } from '../values/class-of.ts'
import { ClassCastException, nullPointer } from '../values/exceptions.ts'
import { ThrowableValue, throwable } from '../values/throwable.ts'
import { truth } from '../values/truth.ts'
import { Reference, type Value } from '../values/value.ts'
import { zeroOf } from '../values/zero.ts'
import { compileAssert } from './assertion.ts'
import { converter, destructure } from './assignment.ts'
import type { Context } from './context.ts'
import { compileExpression } from './expressions.ts'
import { type Exec, type Frame, Jump, type Node, RESULT, RETURN } from './frame.ts'
import { returningLast } from './implicit-return.ts'
import { compileFor, compileForIn, compileWhile } from './loops.ts'
import type { LocalVariable } from './scope.ts'
import { compileSwitch } from './switch.ts'
import { compileTry } from './try.ts'

/** The body of a method or closure: its value is the returned one, or that of its last statement. */
export function compileFunctionBody(block: BlockNode, context: Context): Node {
  return context.scope.inBlock(() => {
    const statements = returningLast(block.statements)
    const last = statements.at(-1)
    if (last?.kind !== 'return') return returnOf(compileStatements(statements, context))
    const before = compileStatements(statements.slice(0, -1), context)
    const value = last.value === null ? () => null : compileExpression(last.value, context)
    const tail = located(value, locationOf(last, context))
    return statements.length === 1 ? tail : returnAfter(before, tail)
  })
}

/** A body whose last statement returns its value. */
function returnAfter(before: Exec, tail: Node): Node {
  const finish = (jump: Value, frame: Frame): Maybe => (jump === null ? tail(frame) : (frame[RESULT] as Value))
  return (frame) => {
    const jump = before(frame)
    if (jump === null) return tail(frame)
    return jump === PENDING ? after((late) => finish(late, frame)) : (frame[RESULT] as Value)
  }
}

function returnOf(body: Exec): Node {
  const finish = (jump: Value, frame: Frame): Value => (jump === RETURN ? (frame[RESULT] as Value) : null)
  return (frame) => {
    const jump = body(frame)
    return jump === PENDING ? after((late) => finish(late, frame)) : finish(jump, frame)
  }
}

function locationOf({ position }: Statement, { unit }: Context): ScriptLocation {
  return { file: unit.file, line: position.line, column: position.column }
}

/** Records the location of an exception, unless a nested statement has done so. */
function recordLocation(error: unknown, location: ScriptLocation): unknown {
  if (error instanceof ThrowableValue || error instanceof GroovyLimitError) error.location ??= location
  return error
}

/** Adds a continuation to a statement that suspends; an exception of the rest of the statement has its location too. */
function afterStatement(location: ScriptLocation, resume: (value: Value) => Maybe): Maybe {
  return afterEither(resume, (error) => {
    throw recordLocation(error, location)
  })
}

function located(node: Node, location: ScriptLocation): Node {
  return (frame) => {
    try {
      const value = node(frame)
      return value === PENDING ? afterStatement(location, (late) => late) : value
    } catch (error) {
      throw recordLocation(error, location)
    }
  }
}

/** Statements in sequence, in the current block. */
export function compileStatements(statements: readonly Statement[], context: Context): Exec {
  const execs = statements.map((each) => compileStatement(each, context))
  const locations = statements.map((each) => locationOf(each, context))
  if (execs.length === 0) return () => null
  if (execs.length === 1) return located(execs[0]!, locations[0]!)
  const run = (frame: Frame, from: number): Maybe => {
    let index = from
    try {
      for (; index < execs.length; index++) {
        const jump = execs[index]!(frame)
        if (jump === null) continue
        if (jump !== PENDING) return jump
        const next = index + 1
        return afterStatement(locations[index]!, (late) => (late === null ? run(frame, next) : late))
      }
    } catch (error) {
      throw recordLocation(error, locations[index]!)
    }
    return null
  }
  return (frame) => run(frame, 0)
}

export function compileBlock({ statements }: BlockNode, context: Context): Exec {
  return context.scope.inBlock(() => compileStatements(statements, context))
}

/** A statement as a body, in a nested block. */
export function compileBody(statement: Statement, context: Context): Exec {
  return context.scope.inBlock(() => compileStatements([statement], context))
}

export function compileStatement(statement: Statement, context: Context): Exec {
  switch (statement.kind) {
    case 'expression': {
      const node = compileExpression(statement.expression, context)
      return (frame) => (node(frame) === PENDING ? after(() => null) : null)
    }
    case 'declaration':
      return compileDeclaration(statement, context)
    case 'block':
      return compileBlock(statement, context)
    case 'if':
      return compileIf(statement, context)
    case 'while':
    case 'doWhile':
      return compileWhile(statement, null, context)
    case 'for':
      return compileFor(statement, null, context)
    case 'forIn':
      return compileForIn(statement, null, context)
    case 'switch':
      return compileSwitch(statement, context)
    case 'try':
      return compileTry(statement, context)
    case 'return':
    case 'yield':
      return compileReturn(statement, context)
    case 'throw':
      return compileThrow(statement, context)
    case 'break':
    case 'continue':
      return compileJump(statement, context)
    case 'assert':
      return compileAssert(statement, context)
    case 'label':
      return compileLabel(statement.label, statement.body, context)
  }
}

function compileLabel(label: string, body: Statement, context: Context): Exec {
  context.scope.labels.push(label)
  const exec = compileLabelled(label, body, context)
  context.scope.labels.pop()
  // `break label` out of a statement that is not a loop.
  const handleBreak = (jump: Value): Value =>
    jump instanceof Jump && jump.to === 'break' && jump.label === label ? null : jump
  return (frame) => andThen(exec(frame), handleBreak)
}

function compileLabelled(label: string, body: Statement, context: Context): Exec {
  switch (body.kind) {
    case 'while':
    case 'doWhile':
      return compileWhile(body, label, context)
    case 'for':
      return compileFor(body, label, context)
    case 'forIn':
      return compileForIn(body, label, context)
    default:
      return compileStatement(body, context)
  }
}

function compileIf({ condition, yes, no }: IfNode, context: Context): Exec {
  const test = compileExpression(condition, context)
  const first = compileBody(yes, context)
  const second = no === null ? () => null : compileBody(no, context)
  return (frame) => {
    const value = test(frame)
    if (value === PENDING) return after((late) => (truth(late) ? first(frame) : second(frame)))
    return truth(value) ? first(frame) : second(frame)
  }
}

function compileReturn({ value }: ReturnNode, context: Context): Exec {
  if (value === null) {
    return (frame) => {
      frame[RESULT] = null
      return RETURN
    }
  }
  const node = compileExpression(value, context)
  const store = (result: Value, frame: Frame): Value => {
    frame[RESULT] = result
    return RETURN
  }
  return (frame) => {
    const result = node(frame)
    return result === PENDING ? after((late) => store(late, frame)) : store(result, frame)
  }
}

function compileThrow({ value }: ThrowNode, context: Context): Exec {
  const node = compileExpression(value, context)
  return (frame) =>
    andThen(node(frame), (thrown) => {
      if (thrown instanceof ThrowableValue) throw thrown
      if (thrown === null) throw nullPointer(null)
      throw throwable(ClassCastException, `class ${classOf(thrown).name} cannot be cast to class java.lang.Throwable`)
    })
}

function compileJump({ kind, label, position }: JumpNode, { scope, unit }: Context): Exec {
  if (label !== null && !scope.labels.includes(label))
    throw unit.fail(`no statement around this has the label ${label}`, position)
  if (label === null && (kind === 'break' ? scope.breakDepth : scope.loopDepth) === 0) {
    throw unit.fail(
      `${kind} is allowed only within a loop${kind === 'break' ? ' or a switch' : ''}; use return to leave a closure`,
      position,
    )
  }
  const jump = new Jump(kind, label)
  return () => jump
}

function compileDeclaration({ variables, modifiers, destructured, returns }: DeclarationNode, context: Context): Exec {
  const isFinal = modifiers.keywords.has('final')
  const declare = (name: string, type: TypeNode | null, position: Position): LocalVariable =>
    declareVariable(name, type === null ? null : context.unit.classOfType(type), isFinal, position, context)
  if (destructured !== null) {
    const node = compileExpression(destructured, context)
    const stores = variables.map(({ name, type, position }) => initialiser(declare(name, type, position)))
    return (frame) =>
      andThen(node(frame), (value) => {
        const items = destructure(value, stores.length)
        stores.forEach((store, index) => {
          store(frame, items[index] ?? null)
        })
        if (returns !== true) return null
        frame[RESULT] = value
        return RETURN
      })
  }
  const execs = variables.map(({ name, type, initial, position }): Exec => {
    const node = initial === null ? null : compileExpression(initial, context)
    const variable = declare(name, type, position)
    return initialStore(variable, node)
  })
  const [only] = execs
  if (execs.length === 1 && only !== undefined) return only
  return (frame) => execs.reduce<Maybe>((before, exec) => andThen(before, () => exec(frame)), null)
}

/** Declares a variable of this function; a name that is already declared is an error. */
export function declareVariable(
  name: string,
  type: ClassInfo | null,
  isFinal: boolean,
  position: Position,
  { scope, unit }: Context,
): LocalVariable {
  if (scope.isDeclared(name)) throw unit.fail(`a variable ${name} is already declared here`, position)
  return scope.declare(name, type, isFinal)
}

function initialStore(variable: LocalVariable, node: Node | null): Exec {
  const store = initialiser(variable)
  if (node === null) {
    const { type } = variable
    const empty = type?.kind === 'primitive' ? zeroOf(type.name) : null
    const set = uncheckedInitialiser(variable)
    return (frame) => set(frame, empty)
  }
  return (frame) => {
    const value = node(frame)
    return value === PENDING ? after((late) => store(frame, late)) : store(frame, value)
  }
}

/** Sets a variable where it is declared: a shared one becomes a new Reference, so that each iteration of a loop has its own. */
export function initialiser(variable: LocalVariable): (frame: Frame, value: Value) => Maybe {
  const convert = converter(variable.type)
  const set = uncheckedInitialiser(variable)
  return variable.type === null ? set : (frame, value) => set(frame, convert(value))
}

/** As `initialiser`, without conversion: for a variable whose value is converted later. */
export function sharedInitialiser(variable: LocalVariable): (frame: Frame, value: Value) => Maybe {
  return uncheckedInitialiser(variable)
}

function uncheckedInitialiser({ slot, shared }: LocalVariable): (frame: Frame, value: Value) => Maybe {
  return shared
    ? (frame, value) => {
        frame[slot] = new Reference(value)
        return null
      }
    : (frame, value) => {
        frame[slot] = value
        return null
      }
}
