// Classes, methods, imports, and the script itself.
import type { BlockNode, Expression, Modifiers, Node, Parameter, Statement, TypeNode } from './ast.ts'
import type { Position } from './syntax-error.ts'

export interface MethodNode extends Node {
  readonly kind: 'method'
  readonly modifiers: Modifiers
  /** `<init>` for a constructor. */
  readonly name: string
  readonly returns: TypeNode | null
  readonly parameters: readonly Parameter[]
  /** Null for an abstract method. */
  readonly body: BlockNode | null
}
export interface FieldNode extends Node {
  readonly kind: 'field'
  readonly modifiers: Modifiers
  readonly name: string
  readonly type: TypeNode | null
  readonly initial: Expression | null
}
export interface EnumConstant {
  readonly name: string
  readonly args: readonly Expression[]
  readonly position: Position
}
export interface ClassNode extends Node {
  readonly kind: 'class'
  readonly form: 'class' | 'interface' | 'enum'
  readonly name: string
  readonly modifiers: Modifiers
  readonly parent: TypeNode | null
  readonly interfaces: readonly TypeNode[]
  readonly fields: readonly FieldNode[]
  readonly methods: readonly MethodNode[]
  /** Instance initializer blocks and static initializer blocks. */
  readonly initialisers: readonly BlockNode[]
  readonly staticInitialisers: readonly BlockNode[]
  readonly constants: readonly EnumConstant[]
  readonly nested: readonly ClassNode[]
}
export interface ImportNode extends Node {
  /** `java.util.Date`, or `java.util` with a star. */
  readonly name: string
  readonly star: boolean
  /** For `import static`: the member, which `name` does not include. */
  readonly member: string | null
  readonly isStatic: boolean
  readonly alias: string | null
}
export interface ScriptNode {
  readonly file: string
  readonly text: string
  readonly packageName: string | null
  /** Names of type parameters; each accepts any class. */
  readonly typeParameters: ReadonlySet<string>
  readonly imports: readonly ImportNode[]
  readonly classes: readonly ClassNode[]
  readonly methods: readonly MethodNode[]
  readonly statements: readonly Statement[]
}
