import type { ClassNode, ImportNode, MethodNode, ScriptNode, Statement } from './ast.ts'
import { isClass, isMethod, parseClass, parseMethod } from './class-parser.ts'
import { parseDeclaration } from './declaration-parser.ts'
import { Lexer } from './lexer.ts'
import { endStatement, parseStatement, skipSeparators } from './statement-parser.ts'
import { TokenStream } from './token-stream.ts'
import { parseModifiers, parseType } from './type-parser.ts'

/** Parses a script; throws a GroovySyntaxError at the first error. */
export function parseScript(text: string, file: string): ScriptNode {
  const stream = new TokenStream(new Lexer(text, file).read(), text, file)
  const parts: Parts = { imports: [], classes: [], methods: [], statements: [], packageName: null }
  for (skipSeparators(stream); stream.peek().kind !== 'end'; ) {
    parseTopLevel(stream, parts)
    endStatement(stream)
    if (stream.is('}') || stream.is('else') || stream.is('case') || stream.is('default')) {
      throw stream.unexpected('a statement')
    }
  }
  return { file, text, typeParameters: stream.typeParameters, ...parts }
}

interface Parts {
  packageName: string | null
  readonly imports: ImportNode[]
  readonly classes: ClassNode[]
  readonly methods: MethodNode[]
  readonly statements: Statement[]
}

function parseTopLevel(stream: TokenStream, parts: Parts): void {
  if (stream.is('package')) {
    stream.next()
    parts.packageName = parseType(stream).name
  } else if (stream.is('import')) parts.imports.push(parseImport(stream))
  else if (!parseDeclared(stream, parts)) parts.statements.push(parseStatement(stream))
}

/** Parses a class, a method, or a variable with modifiers; false if none of them begins here. */
function parseDeclared(stream: TokenStream, parts: Parts): boolean {
  const form = formAhead(stream)
  if (form === null) return false
  const modifiers = parseModifiers(stream)
  // `@Grab(...)` and similar annotations precede an import or have no target; the checker reports them.
  if (form === 'import') {
    parts.imports.push(parseImport(stream))
    for (const each of modifiers.annotations) parts.statements.push(annotationAlone(each))
  } else if (form === 'class') parts.classes.push(parseClass(stream, modifiers))
  else if (form === 'method') parts.methods.push(parseMethod(stream, modifiers))
  else parts.statements.push(parseDeclaration(stream, modifiers))
  return true
}

type Form = 'import' | 'class' | 'method' | 'variable' | null

function formAhead(stream: TokenStream): Form {
  let form: Form = null
  stream.ahead(() => {
    const { keywords, annotations } = parseModifiers(stream)
    const hasModifiers = keywords.size > 0 || annotations.length > 0
    if (stream.is('import')) form = 'import'
    else if (isClass(stream)) form = 'class'
    else if (isMethod(stream, false) && (hasModifiers || hasReturnType(stream))) form = 'method'
    else if (hasModifiers) form = 'variable'
    return true
  })
  return form
}

/** `String name() {` declares a method, `name() {` calls one. */
function hasReturnType(stream: TokenStream): boolean {
  if (stream.is('<')) return true
  return stream.ahead(() => {
    const { name, dimensions } = parseType(stream)
    if (stream.is('(')) return false
    return dimensions > 0 || /^(?:void|boolean|byte|char|double|float|int|long|short)$|(?:^|\.)\p{Lu}[^.]*$/u.test(name)
  })
}

function annotationAlone(annotation: {
  name: string
  position: ImportNode['position']
  hasArguments: boolean
}): Statement {
  const { position } = annotation
  return {
    kind: 'declaration',
    modifiers: { keywords: new Set(), annotations: [annotation] },
    variables: [],
    destructured: null,
    position,
  }
}

/** `import a.b.C as D`, `import static a.B.c`, `import a.b.*`. */
function parseImport(stream: TokenStream): ImportNode {
  const { position } = stream.next()
  const isStatic = stream.accept('static')
  const names = [stream.expectName('after import').text]
  let star = false
  while (stream.accept('.')) {
    if (stream.accept('*')) {
      star = true
      break
    }
    names.push(stream.peek().kind === 'keyword' ? stream.next().text : stream.expectName('after . of an import').text)
  }
  const alias = stream.accept('as') ? stream.expectName('after as').text : null
  const member = isStatic && !star ? (names.pop() ?? null) : null
  return { name: names.join('.'), star, member, isStatic, alias, position }
}
