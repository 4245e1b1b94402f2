// The syntax tree of a script. Every node has a start position; nodes shown in messages also have an end position.
import type { Value } from '../values/value.ts'
import type { ClassNode } from './declaration-ast.ts'
import type { Position } from './syntax-error.ts'

export type * from './declaration-ast.ts'
export type { Position }

/** A type in the source; type arguments are parsed and ignored. */
export interface TypeNode {
  readonly name: string
  readonly dimensions: number
  readonly position: Position
}

export interface Annotation {
  readonly name: string
  readonly position: Position
  readonly hasArguments: boolean
}

export interface Modifiers {
  readonly keywords: ReadonlySet<string>
  readonly annotations: readonly Annotation[]
}

export interface Node {
  readonly position: Position
}

export interface Literal extends Node {
  readonly kind: 'literal'
  readonly value: Value
}
export interface GStringNode extends Node {
  readonly kind: 'gstring'
  readonly strings: readonly string[]
  readonly values: readonly Expression[]
}
export interface ListNode extends Node {
  readonly kind: 'list'
  readonly items: readonly Expression[]
}
export interface MapItem {
  /** Null for `*: map`. */
  readonly key: Expression | null
  readonly value: Expression
}
export interface MapNode extends Node {
  readonly kind: 'map'
  readonly items: readonly MapItem[]
}
export interface RangeNode extends Node {
  readonly kind: 'range'
  readonly from: Expression
  readonly to: Expression
  readonly skipFrom: boolean
  readonly skipTo: boolean
}
/** `*list` among arguments or items. */
export interface SpreadNode extends Node {
  readonly kind: 'spread'
  readonly value: Expression
}
export interface VariableNode extends Node {
  readonly kind: 'variable'
  readonly name: string
}
export interface ThisNode extends Node {
  readonly kind: 'this' | 'super'
}
/** Access operator: `.`, `?.`, `*.`, `.@`, `?.@`, `*.@`. */
export type Access = 'plain' | 'safe' | 'spread' | 'field' | 'safeField' | 'spreadField'
export interface PropertyNode extends Node {
  readonly kind: 'property'
  readonly target: Expression
  readonly name: string | Expression
  readonly namePosition: Position
  readonly access: Access
}
export interface IndexNode extends Node {
  readonly kind: 'index'
  readonly target: Expression
  readonly indexes: readonly Expression[]
  readonly safe: boolean
  readonly bracket: Position
}
/** `name(args)`, `target.name(args)`; named arguments are collected in a map, the first argument. */
export interface CallNode extends Node {
  readonly kind: 'call'
  /** Null for a call without a receiver. */
  readonly target: Expression | null
  readonly name: string | Expression
  readonly namePosition: Position
  readonly args: readonly Expression[]
  readonly access: Access
}
/** `value(args)`: a call of the value of an expression. */
export interface CallValueNode extends Node {
  readonly kind: 'callValue'
  readonly callee: Expression
  readonly args: readonly Expression[]
}
export interface NewNode extends Node {
  readonly kind: 'new'
  readonly type: TypeNode
  readonly args: readonly Expression[]
  readonly body: ClassNode | null
}
export interface NewArrayNode extends Node {
  readonly kind: 'newArray'
  /** The array type, with all dimensions. */
  readonly type: TypeNode
  /** Sizes; empty with an array initializer. */
  readonly sizes: readonly Expression[]
  readonly items: readonly Expression[] | null
}
export interface ArrayItemsNode extends Node {
  readonly kind: 'arrayItems'
  readonly items: readonly Expression[]
}
export interface UnaryNode extends Node {
  readonly kind: 'unary'
  readonly operator: '!' | '~' | '-' | '+'
  readonly operand: Expression
}
export interface StepNode extends Node {
  readonly kind: 'step'
  readonly operator: '++' | '--'
  readonly prefix: boolean
  readonly operand: Expression
}
export interface BinaryNode extends Node {
  readonly kind: 'binary'
  readonly operator: string
  readonly operatorPosition: Position
  readonly left: Expression
  readonly right: Expression
}
export interface TernaryNode extends Node {
  readonly kind: 'ternary'
  readonly condition: Expression
  /** Null for `?:`. */
  readonly yes: Expression | null
  readonly no: Expression
  readonly operatorPosition: Position
}
export interface AssignNode extends Node {
  readonly kind: 'assign'
  /** The operator before `=`; empty for a plain assignment, `?` for `?=`. */
  readonly operator: string
  readonly target: Expression
  readonly value: Expression
}
export interface MultipleAssignNode extends Node {
  readonly kind: 'multipleAssign'
  readonly targets: readonly Expression[]
  readonly value: Expression
}
export interface CastNode extends Node {
  readonly kind: 'cast'
  readonly type: TypeNode
  readonly value: Expression
  /** `(Type) value`, or `value as Type`. */
  readonly how: 'cast' | 'as'
  readonly operatorPosition: Position
}
export interface InstanceOfNode extends Node {
  readonly kind: 'instanceof'
  readonly type: TypeNode
  readonly value: Expression
  readonly negated: boolean
  readonly operatorPosition: Position
}
export interface Parameter {
  readonly name: string
  readonly type: TypeNode | null
  readonly varargs: boolean
  readonly initial: Expression | null
  readonly position: Position
}
export interface ClosureNode extends Node {
  readonly kind: 'closure'
  /** Null without a parameter list: the parameter is `it`. */
  readonly parameters: readonly Parameter[] | null
  readonly body: BlockNode
  readonly isLambda: boolean
}
/** `target.&name`, `target::name`. */
export interface MethodPointerNode extends Node {
  readonly kind: 'methodPointer'
  readonly target: Expression
  readonly name: string | Expression
  readonly namePosition: Position
}
export interface SwitchExpressionNode extends Node {
  readonly kind: 'switchExpression'
  readonly body: SwitchNode
}
/** A parenthesized name: a variable, never a command or a method. `(f)(1)` calls the value of f. */
export interface BracketedNode extends Node {
  readonly kind: 'bracketed'
  readonly inner: Expression
}
export type Expression =
  | BracketedNode
  | Literal
  | GStringNode
  | ListNode
  | MapNode
  | RangeNode
  | SpreadNode
  | VariableNode
  | ThisNode
  | PropertyNode
  | IndexNode
  | CallNode
  | CallValueNode
  | NewNode
  | NewArrayNode
  | ArrayItemsNode
  | UnaryNode
  | StepNode
  | BinaryNode
  | TernaryNode
  | AssignNode
  | MultipleAssignNode
  | CastNode
  | InstanceOfNode
  | ClosureNode
  | MethodPointerNode
  | SwitchExpressionNode

export interface BlockNode extends Node {
  readonly kind: 'block'
  readonly statements: readonly Statement[]
}
export interface ExpressionStatement extends Node {
  readonly kind: 'expression'
  readonly expression: Expression
}
export interface DeclaredVariable {
  readonly name: string
  readonly type: TypeNode | null
  readonly initial: Expression | null
  readonly position: Position
}
export interface DeclarationNode extends Node {
  readonly kind: 'declaration'
  readonly modifiers: Modifiers
  readonly variables: readonly DeclaredVariable[]
  /** The destructured value of `def (a, b) = value`. */
  readonly destructured: Expression | null
  /** Set on the last statement of a body: the result is the destructured value. */
  readonly returns?: boolean
}
export interface IfNode extends Node {
  readonly kind: 'if'
  readonly condition: Expression
  readonly yes: Statement
  readonly no: Statement | null
}
export interface WhileNode extends Node {
  readonly kind: 'while' | 'doWhile'
  readonly condition: Expression
  readonly body: Statement
}
export interface ForNode extends Node {
  readonly kind: 'for'
  readonly initial: readonly Statement[]
  readonly condition: Expression | null
  readonly update: readonly Expression[]
  readonly body: Statement
}
export interface ForInNode extends Node {
  readonly kind: 'forIn'
  readonly variable: DeclaredVariable
  readonly items: Expression
  readonly body: Statement
}
export interface SwitchCase {
  /** Empty for `default`. */
  readonly labels: readonly Expression[]
  readonly body: readonly Statement[]
  /** `case x -> ...`, which does not fall through. */
  readonly isArrow: boolean
  readonly position: Position
}
export interface SwitchNode extends Node {
  readonly kind: 'switch'
  readonly value: Expression
  readonly cases: readonly SwitchCase[]
}
export interface CatchClause {
  /** Empty for `catch (e)`. */
  readonly types: readonly TypeNode[]
  readonly name: string
  readonly body: BlockNode
  readonly position: Position
}
export interface TryNode extends Node {
  readonly kind: 'try'
  readonly resources: readonly Statement[]
  readonly body: BlockNode
  readonly catches: readonly CatchClause[]
  readonly finally: BlockNode | null
}
export interface ReturnNode extends Node {
  readonly kind: 'return' | 'yield'
  readonly value: Expression | null
}
export interface ThrowNode extends Node {
  readonly kind: 'throw'
  readonly value: Expression
}
export interface JumpNode extends Node {
  readonly kind: 'break' | 'continue'
  readonly label: string | null
}
export interface AssertNode extends Node {
  readonly kind: 'assert'
  readonly condition: Expression
  readonly message: Expression | null
  /** Source and position of the condition. */
  readonly text: string
  readonly textPosition: Position
}
export interface LabelNode extends Node {
  readonly kind: 'label'
  readonly label: string
  readonly body: Statement
}
export type Statement =
  | BlockNode
  | ExpressionStatement
  | DeclarationNode
  | IfNode
  | WhileNode
  | ForNode
  | ForInNode
  | SwitchNode
  | TryNode
  | ReturnNode
  | ThrowNode
  | JumpNode
  | AssertNode
  | LabelNode
