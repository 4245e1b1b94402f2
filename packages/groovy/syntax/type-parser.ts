import { parseArguments } from './argument-parser.ts'
import type { Annotation, Modifiers, TypeNode } from './ast.ts'
import type { TokenStream } from './token-stream.ts'
import { MODIFIERS, PRIMITIVE_NAMES, type Token } from './tokens.ts'

/** `java.util.Map<String, ?>[]`; type arguments are parsed and ignored. */
export function parseType(stream: TokenStream): TypeNode {
  const { position } = stream.peek()
  const name = parseTypeName(stream)
  if (stream.is('<')) skipTypeArguments(stream)
  let dimensions = 0
  while (stream.is('[') && stream.is(']', 1)) {
    stream.next()
    stream.next()
    dimensions += 1
  }
  return { name, dimensions, position }
}

function parseTypeName(stream: TokenStream): string {
  const token = stream.peek()
  if (isPrimitive(token)) return stream.next().text
  let name = stream.expectName('of a class').text
  while (stream.is('.') && stream.peek(1).kind === 'identifier') {
    stream.next()
    name += `.${stream.next().text}`
  }
  return name
}

function isPrimitive(token: Token): boolean {
  return token.kind === 'keyword' && (PRIMITIVE_NAMES.has(token.text) || token.text === 'void')
}

/** `<T, K extends Comparable>` of a declaration; each name accepts any class. */
export function parseTypeParameters(stream: TokenStream): void {
  for (let ahead = 1; ; ahead++) {
    const token = stream.peek(ahead)
    if (token.kind === 'identifier' && (stream.is('<', ahead - 1) || stream.is(',', ahead - 1))) {
      stream.typeParameters.add(token.text)
    }
    if (token.kind === 'end' || stream.is('>', ahead) || stream.is('{', ahead) || stream.is('(', ahead)) break
  }
  skipTypeArguments(stream)
}

/** `<String, List<? extends T>>`, also `<>`. */
export function skipTypeArguments(stream: TokenStream): void {
  stream.expect('<', 'before types')
  if (stream.accept('>')) return
  for (;;) {
    stream.nested(() => skipTypeArgument(stream))
    if (stream.accept('>')) return
    stream.expect(',', 'or > after a type')
  }
}

function skipTypeArgument(stream: TokenStream): void {
  skipAnnotations(stream)
  if (stream.accept('?')) {
    if (!stream.accept('extends') && !stream.accept('super')) return
  }
  parseType(stream)
  // `T extends Comparable & Serializable`, of a declaration.
  if (stream.accept('extends')) {
    parseType(stream)
    while (stream.accept('&')) parseType(stream)
  }
}

/** Modifiers and annotations of a declaration. */
export function parseModifiers(stream: TokenStream): Modifiers {
  const keywords = new Set<string>()
  const annotations: Annotation[] = []
  for (;;) {
    const token = stream.peek()
    if (stream.is('@') && !stream.is('interface', 1)) {
      annotations.push(parseAnnotation(stream))
      stream.skipNewlines()
    } else if (token.kind === 'keyword' && MODIFIERS.has(token.text) && !isSynchronizedBlock(stream)) {
      keywords.add(stream.next().text)
      if (token.text !== 'def' && token.text !== 'var') stream.skipNewlines()
    } else if (token.kind === 'keyword' && token.text === 'default' && !stream.is(':', 1) && !stream.is('->', 1)) {
      keywords.add(stream.next().text)
    } else return { keywords, annotations }
  }
}

function isSynchronizedBlock(stream: TokenStream): boolean {
  return stream.is('synchronized') && stream.is('(', 1)
}

function skipAnnotations(stream: TokenStream): void {
  while (stream.is('@')) parseAnnotation(stream)
}

function parseAnnotation(stream: TokenStream): Annotation {
  const { position } = stream.expect('@', 'before an annotation')
  const name = parseTypeName(stream)
  const hasArguments = stream.is('(')
  if (hasArguments) parseArguments(stream)
  return { name, position, hasArguments }
}
