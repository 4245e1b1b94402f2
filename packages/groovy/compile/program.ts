import { checkUnit } from '../check/checker.ts'
import type { BindingCallCheck } from '../check/member-calls.ts'
import type { UnresolvedName } from '../check/unresolved-names.ts'
import type { Limits } from '../meter.ts'
import type { Library } from '../registry/library.ts'
import { Evaluation, type Output } from '../runtime/evaluation.ts'
import { andThen, type Maybe } from '../runtime/pending.ts'
import type { ClassNode, FieldNode, ScriptNode, Statement } from '../syntax/ast.ts'
import { parseScript } from '../syntax/parser.ts'
import { GroovyCompileError, GroovySyntaxError } from '../syntax/syntax-error.ts'
import { BindingValue, ScriptObject } from '../values/binding.ts'
import type { ClassInfo } from '../values/class-info.ts'
import type { Value } from '../values/value.ts'
import type { Context } from './context.ts'
import { fieldDefaults, fieldInitialiser, prepareStatics } from './fields.ts'
import { CLOSURE, type Node, SELF } from './frame.ts'
import { addMethod } from './methods.ts'
import { FunctionScope } from './scope.ts'
import { compileFunctionBody } from './statements.ts'
import { type ClassFinder, Unit, type UserClass } from './unit.ts'
import { compileMembers, declareFields, declareUserClasses } from './user-classes.ts'

interface ProgramSource {
  readonly text: string
  /** Name in messages. */
  readonly file: string
  readonly library: Library
  /** Finds classes of other scripts. */
  readonly classes?: ClassFinder
  /** Classes of the host's variables by name, to check their members. */
  readonly bindings?: ReadonlyMap<string, ClassInfo>
  /** Checks the calls of the host's variables. */
  readonly checkCall?: BindingCallCheck
}

interface RunOptions {
  /** Variables that the script reads and sets. */
  readonly binding?: BindingValue
  readonly limits?: Limits
  /** Output of `println`. */
  readonly output?: Output
  /** A running evaluation whose limits this run shares. */
  readonly evaluation?: Evaluation
}

/** A compiled script. */
export class GroovyProgram {
  readonly file: string
  /** The classes that it declares. */
  readonly classes: readonly ClassInfo[]
  /** Names that it uses and does not declare; empty for a script that was not checked. */
  readonly unresolved: readonly UnresolvedName[]
  readonly #info: ClassInfo
  readonly #body: Node
  readonly #scope: FunctionScope
  readonly #setDefaults: (self: Value) => void
  readonly #setFields: (self: Value) => Maybe

  constructor(
    unit: Unit,
    classes: readonly ClassInfo[],
    scope: FunctionScope,
    body: Node,
    setDefaults: (self: Value) => void,
    setFields: (self: Value) => Maybe,
    unresolved: readonly UnresolvedName[],
  ) {
    this.#setDefaults = setDefaults
    this.file = unit.file
    this.classes = classes
    this.unresolved = unresolved
    this.#info = unit.scriptInfo
    this.#scope = scope
    this.#body = body
    this.#setFields = setFields
  }

  /** Runs the script; returns its value, or a promise if it suspends. */
  run({ binding, limits, output, evaluation }: RunOptions = {}): Value | Promise<Value> {
    const script = new ScriptObject(this.#info, binding ?? new BindingValue())
    const running = evaluation ?? new Evaluation(limits, output)
    return running.run(() => {
      this.#setDefaults(script)
      const frame = this.#scope.newFrame()
      frame[SELF] = script
      frame[CLOSURE] = null
      return andThen(this.#setFields(script), () => this.#body(frame))
    })
  }
}

/** Parses, checks and compiles a script without running any of it; throws a GroovyCompileError. */
export function compileProgram(source: ProgramSource): GroovyProgram {
  const { text, file, library, classes, bindings, checkCall } = source
  const unit = new Unit(parseScript(text, file), library, classes)
  return compileUnit(unit, bindings, checkCall)
}

/** Compiles a script without checking members; missing ones are reported at run time. */
export function compileUnchecked(unit: Unit): GroovyProgram {
  const prepared = prepare(unit)
  if (prepared instanceof GroovySyntaxError) throw prepared
  return compileChecked(unit, unit.script, prepared)
}

/** Compiles a parsed script; `bindings` has the classes of the host's variables. */
function compileUnit(
  unit: Unit,
  bindings: ReadonlyMap<string, ClassInfo> = new Map(),
  checkCall?: BindingCallCheck,
): GroovyProgram {
  const { script } = unit
  const prepared = prepare(unit)
  const { problems, unresolved } = checkUnit(unit, bindings, checkCall)
  if (problems.length > 0) throw new GroovyCompileError(problems)
  if (prepared instanceof GroovySyntaxError) throw prepared
  return compileChecked(unit, script, prepared, unresolved)
}

interface Prepared {
  readonly declared: readonly UserClass[]
  readonly user: UserClass
  readonly context: Context
  readonly statements: readonly Statement[]
}

/** Declares classes and fields, so that they can be checked; an error may be one of several problems. */
function prepare(unit: Unit): Prepared | GroovySyntaxError {
  try {
    return declareAll(unit)
  } catch (error) {
    if (error instanceof GroovySyntaxError) return error
    throw error
  }
}

function declareAll(unit: Unit): Prepared {
  const { script } = unit
  const declared = declareUserClasses(script.classes, unit)
  const scope = new FunctionScope('body', null, script.statements)
  const context: Context = {
    unit,
    scope,
    owner: null,
    isStatic: false,
    enclosing: null,
    isConstructor: false,
    record: null,
  }
  const { fields, statements } = withoutFields(script)
  const user = scriptClass(unit, fields)
  declareFields(user, context)
  for (const each of declared) declareFields(each, context)
  return { declared, user, context, statements }
}

function compileChecked(
  unit: Unit,
  script: ScriptNode,
  { declared, user, context, statements }: Prepared,
  unresolved: readonly UnresolvedName[] = [],
): GroovyProgram {
  for (const method of script.methods) addMethod(user, method, context)
  for (const each of declared) compileMembers(each, context)
  const setFields = fieldInitialiser(user, context)
  prepareStatics(user, context)
  const position = { line: 1, column: 1, offset: 0 }
  const body = compileFunctionBody({ kind: 'block', statements, position }, context)
  // The check looked up members before they were compiled.
  for (const each of unit.userClasses.keys()) each.invalidateMembers()
  const classes = declared.map(({ info }) => info)
  return new GroovyProgram(unit, classes, context.scope, body, fieldDefaults(user), setFields, unresolved)
}

/** The script itself as a class, with the fields that `@Field` declares. */
function scriptClass(unit: Unit, fields: readonly FieldNode[]): UserClass {
  const node: ClassNode = {
    kind: 'class',
    form: 'class',
    name: unit.scriptName,
    modifiers: { keywords: new Set(), annotations: [] },
    parent: null,
    interfaces: [],
    fields,
    methods: [],
    initialisers: [],
    staticInitialisers: [],
    constants: [],
    nested: [],
    position: { line: 1, column: 1, offset: 0 },
  }
  const user: UserClass = { info: unit.scriptInfo, node, outer: null, fields: new Map() }
  unit.userClasses.set(unit.scriptInfo, user)
  return user
}

/** Extracts the variables with `@Field` from the statements. */
function withoutFields({ statements }: ScriptNode): { fields: FieldNode[]; statements: Statement[] } {
  const fields: FieldNode[] = []
  const rest = statements.filter((statement) => {
    if (statement.kind !== 'declaration') return true
    const { modifiers, variables } = statement
    if (!modifiers.annotations.some(({ name }) => /^(?:groovy\.transform\.)?Field$/.test(name))) return true
    for (const { name, type, initial, position } of variables) {
      fields.push({ kind: 'field', modifiers, name, type, initial, position })
    }
    return false
  })
  return { fields, statements: rest }
}
