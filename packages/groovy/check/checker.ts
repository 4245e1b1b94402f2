// Static checks of a script: unknown classes, members and annotations, invalid patterns.
import { compileRegex, RegexSyntaxError } from '@identity-gateway/regex'
import { pathOf } from '../compile/members.ts'
import type { Unit, UserClass } from '../compile/unit.ts'
import type {
  BinaryNode,
  CallNode,
  ClassNode,
  ClosureNode,
  DeclarationNode,
  Expression,
  MethodNode,
  Parameter,
  TryNode,
  TypeNode,
  VariableNode,
} from '../syntax/ast.ts'
import type { GroovyProblem } from '../syntax/syntax-error.ts'
import { walk } from '../syntax/walk.ts'
import type { ClassInfo } from '../values/class-info.ts'
import { libraryClass } from '../values/classes.ts'
import { checkAnnotations } from './annotations.ts'
import { BOX_NAMES } from './box-names.ts'
import { CheckScope } from './check-scope.ts'
import { ClassNames } from './class-names.ts'
import { Findings } from './findings.ts'
import { type BindingCallCheck, MemberCalls } from './member-calls.ts'
import type { StaticType } from './members.ts'
import { staticType } from './static-types.ts'
import { DELEGATING, type UnresolvedName, UnresolvedNames } from './unresolved-names.ts'

/** What a check finds. */
interface CheckResult {
  readonly problems: GroovyProblem[]
  readonly unresolved: readonly UnresolvedName[]
}

/** Checks a script after its classes were declared, some of which may have failed. */
export function checkUnit(
  unit: Unit,
  bindings: ReadonlyMap<string, ClassInfo>,
  checkCall?: BindingCallCheck,
): CheckResult {
  return new Checker(unit, bindings, checkCall).run()
}

/** Package prefixes: `com.example.Thing` names a class, `request.headers.Thing` a property. */
const PACKAGES =
  /^(?:java|javax|jakarta|groovy|groovyx|com|org|net|io|sun|jdk|de|edu|gov|kotlin|scala)\.(?:\w+\.)*\p{Lu}/u

/** Exceptions for missing members: code that catches one of them expects missing members. */
const EXPECTED =
  /^(?:groovy\.lang\.)?(?:MissingMethodException|MissingPropertyException|GroovyRuntimeException|ReadOnlyPropertyException)$/

type Part = object & { readonly kind?: string }

class Checker {
  readonly #unit: Unit
  readonly #scope: CheckScope
  readonly #names: ClassNames
  readonly #calls: MemberCalls
  readonly #findings: Findings
  readonly #unresolved: UnresolvedNames
  /** In a closure that looks up names in another object. */
  #isDelegated = false
  /** In a class, whose names may be those of members of any of its parents. */
  #isInClass = false

  constructor(unit: Unit, bindings: ReadonlyMap<string, ClassInfo>, checkCall?: BindingCallCheck) {
    this.#unit = unit
    this.#findings = new Findings(unit.file)
    this.#scope = new CheckScope(unit, bindings, assignedNames(unit))
    this.#names = new ClassNames(unit, this.#findings)
    this.#calls = new MemberCalls(this.#scope, this.#findings, checkCall)
    this.#unresolved = new UnresolvedNames(unit, this.#scope)
  }

  run(): CheckResult {
    const { imports, classes, methods, statements } = this.#unit.script
    for (const each of imports) this.#names.checkImport(each)
    for (const each of classes) this.#visitClass(each)
    this.#unresolved.isInMethod = true
    for (const each of methods) this.#visitMethod(each)
    this.#unresolved.isInMethod = false
    this.#scope.inBlock(() => {
      for (const each of statements) {
        if (each.kind === 'declaration') this.#visitDeclaration(each, true)
        else this.#visit(each)
      }
    })
    return { problems: this.#findings.sorted(), unresolved: this.#unresolved.all }
  }

  #visit(part: Part): void {
    switch (part.kind) {
      case 'block':
      case 'switch':
      case 'for':
        this.#scope.inBlock(() => this.#visitParts(part))
        break
      case 'forIn':
        this.#visitForIn(part as never)
        break
      case 'try':
        this.#visitTry(part as TryNode)
        break
      case 'declaration':
        this.#visitDeclaration(part as DeclarationNode, false)
        break
      case 'closure':
        this.#visitClosure(part as ClosureNode)
        break
      case 'class':
        this.#visitClass(part as ClassNode)
        break
      case 'variable':
        this.#visitVariable(part as VariableNode)
        break
      case 'call':
        this.#visitCall(part as CallNode)
        break
      default:
        this.#checkExpression(part as Expression)
        this.#visitParts(part)
    }
  }

  #checkExpression(expression: Expression): void {
    switch (expression.kind) {
      case 'property':
        this.#calls.checkProperty(expression)
        break
      case 'methodPointer':
        this.#calls.checkPointer(expression)
        break
      case 'new':
        this.#calls.checkNew(expression)
        break
      case 'binary':
        this.#checkPattern(expression)
        break
      case 'unary':
        if (expression.operator === '~') this.#checkRegex(expression.operand)
        break
    }
  }

  /** Visits all parts of a node; the names in a class path `a.b.C` are not variables. */
  #visitParts(part: Part): void {
    if (part.kind === 'property' && this.#isClassPath(part as Expression)) return
    for (const inner of Object.values(part)) {
      if (Array.isArray(inner)) for (const each of inner) this.#visitAny(each)
      else this.#visitAny(inner)
    }
  }

  #visitAny(value: unknown): void {
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return
    if ('dimensions' in value) this.#names.checkType(value as TypeNode)
    else if ('kind' in value) this.#visit(value as Part)
    else if (!('offset' in value)) this.#visitParts(value)
  }

  #isClassPath(expression: Expression): boolean {
    if (this.#scope.classNamed(expression) !== null) return true
    const path = pathOf(expression)
    if (path === null || !PACKAGES.test(path) || this.#scope.isVariable(path.split('.')[0] as string)) return false
    const name = /^(?:\p{Ll}\w*\.)+\p{Lu}\w*/u.exec(path)?.[0] ?? path
    if (this.#unit.findClass(name) === null) this.#names.report(name, expression.position)
    return true
  }

  #visitCall(call: CallNode): void {
    this.#calls.checkCall(call)
    const { target, name, namePosition, args } = call
    if (target === null && typeof name === 'string' && this.#reportsNames) {
      this.#unresolved.addFunction(name, namePosition)
    }
    if (typeof name !== 'string' || !DELEGATING.has(name)) {
      this.#visitParts(call)
      return
    }
    if (target !== null) this.#visit(target)
    const before = this.#isDelegated
    this.#isDelegated = true
    for (const each of args) this.#visit(each)
    this.#isDelegated = before
  }

  /** Not where the script expects that a name is missing. */
  get #reportsNames(): boolean {
    return !this.#isDelegated && !this.#isInClass && !this.#calls.isExpected
  }

  #visitVariable({ name, position }: VariableNode): void {
    if (this.#reportsNames) this.#unresolved.addVariable(name, position)
    const isClass = /^\p{Lu}/u.test(name)
    if (!isClass || this.#scope.isVariable(name) || this.#unit.findClass(name) !== null) return
    if (this.#unit.staticImport(name) !== null || this.#scope.owner?.fields.has(name) === true) return
    if (this.#isInheritedConstant(name)) return
    this.#names.report(name, position)
  }

  /** An inherited constant. */
  #isInheritedConstant(name: string): boolean {
    const { owner } = this.#scope
    if (owner === null) return this.#unit.userClasses.get(this.#unit.scriptInfo)?.fields.has(name) === true
    return this.#scope.members.hasProperty({ klass: owner.info, exact: true, isClass: true }, name)
  }

  #visitDeclaration({ modifiers, variables, destructured }: DeclarationNode, isTop: boolean): void {
    checkAnnotations(modifiers.annotations, isTop, this.#findings)
    if (destructured !== null) this.#visit(destructured)
    for (const { name, type, initial } of variables) {
      if (type !== null) this.#names.checkType(type)
      if (initial !== null) this.#visit(initial)
      const written = type === null ? null : this.#typeOf(type)
      this.#scope.declare(name, written ?? (initial === null ? null : staticType(initial, this.#scope)), type !== null)
    }
  }

  /** The static type of a typed variable; a primitive has the members of its class. */
  #typeOf(type: TypeNode): StaticType | null {
    const klass = this.#unit.findType(type)
    if (klass === null) return null
    const boxed = klass.kind === 'primitive' ? libraryClass(BOX_NAMES.get(klass.name) ?? '') : klass
    return boxed === undefined ? null : { klass: boxed, exact: false, isClass: false }
  }

  #declareParameters(parameters: readonly Parameter[]): void {
    for (const { name, type, varargs, initial } of parameters) {
      if (type !== null) this.#names.checkType(type)
      if (initial !== null) this.#visit(initial)
      this.#scope.declare(name, type === null || varargs ? null : this.#typeOf(type), type !== null)
    }
  }

  #visitClosure({ parameters, body }: ClosureNode): void {
    this.#scope.inBlock(() => {
      if (parameters === null) this.#scope.declare('it', null, true)
      else this.#declareParameters(parameters)
      this.#visitParts(body)
    })
  }

  #visitForIn({ variable, items, body }: { variable: Parameter; items: Expression; body: Part }): void {
    this.#visit(items)
    this.#scope.inBlock(() => {
      this.#declareParameters([{ ...variable, varargs: false }])
      this.#visit(body)
    })
  }

  #visitTry({ resources, body, catches, finally: last }: TryNode): void {
    const before = this.#calls.isExpected
    const counts = catches.some(({ types }) => types.some(({ name }) => EXPECTED.test(name)))
    this.#scope.inBlock(() => {
      for (const each of resources) this.#visit(each)
      this.#calls.isExpected = before || counts
      this.#visit(body)
      this.#calls.isExpected = before
    })
    for (const { types, name, body: handler } of catches) {
      for (const type of types) this.#names.checkType(type)
      this.#scope.inBlock(() => {
        const [only] = types
        this.#scope.declare(name, types.length === 1 && only !== undefined ? this.#typeOf(only) : null, true)
        this.#visit(handler)
      })
    }
    if (last !== null) this.#visit(last)
  }

  #visitClass(node: ClassNode): void {
    const before = this.#scope.owner
    const wasInClass = this.#isInClass
    this.#scope.owner = this.#userClass(node)
    this.#isInClass = true
    checkAnnotations(node.modifiers.annotations, false, this.#findings)
    for (const type of [...(node.parent === null ? [] : [node.parent]), ...node.interfaces]) this.#names.checkType(type)
    for (const { type, initial, modifiers } of node.fields) {
      checkAnnotations(modifiers.annotations, false, this.#findings)
      if (type !== null) this.#names.checkType(type)
      if (initial !== null) this.#visit(initial)
    }
    for (const { args } of node.constants) for (const each of args) this.#visit(each)
    for (const method of node.methods) this.#visitMethod(method)
    for (const block of [...node.initialisers, ...node.staticInitialisers]) this.#visit(block)
    for (const nested of node.nested) this.#visitClass(nested)
    this.#scope.owner = before
    this.#isInClass = wasInClass
  }

  #userClass(node: ClassNode): UserClass | null {
    for (const user of this.#unit.userClasses.values()) if (user.node === node) return user
    return null
  }

  #visitMethod({ modifiers, parameters, returns, body }: MethodNode): void {
    checkAnnotations(modifiers.annotations, false, this.#findings)
    if (returns !== null) this.#names.checkType(returns)
    this.#scope.isStatic = modifiers.keywords.has('static')
    this.#scope.inBlock(() => {
      this.#declareParameters(parameters)
      if (body !== null) this.#visit(body)
    })
    this.#scope.isStatic = false
  }

  #checkPattern({ operator, right }: BinaryNode): void {
    if (operator === '=~' || operator === '==~') this.#checkRegex(right)
  }

  /** Compiles literal patterns, so that errors are found before the script runs. */
  #checkRegex(expression: Expression): void {
    if (expression.kind !== 'literal' || typeof expression.value !== 'string') return
    try {
      compileRegex(expression.value)
    } catch (error) {
      if (!(error instanceof RegexSyntaxError)) throw error
      this.#findings.add(expression.position, `invalid pattern: ${error.message}`)
    }
  }
}

/** Names that any code of the script assigns. */
function assignedNames({ script }: Unit): ReadonlySet<string> {
  const names = new Set<string>()
  const add = (target: Expression): void => {
    if (target.kind === 'variable') names.add(target.name)
    else if (target.kind === 'property' && target.target.kind === 'this' && typeof target.name === 'string')
      names.add(target.name)
  }
  walk(script, (part) => {
    const node = part as Expression
    if (node.kind === 'assign') add(node.target)
    else if (node.kind === 'step') add(node.operand)
    else if (node.kind === 'multipleAssign') node.targets.forEach(add)
    return undefined
  })
  return names
}
