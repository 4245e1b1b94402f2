import {
  applyEdits,
  createScanner,
  type FormattingOptions,
  findNodeAtLocation,
  getLocation,
  type JSONPath,
  type Location,
  modify,
  type Node,
  parseTree,
} from 'jsonc-parser'
import type { Problem } from '../api/client.ts'
import { ofLatestTexts } from './latest-texts.ts'
import { isWithinLimits } from './text-limits.ts'

const LENIENT = { disallowComments: false, allowTrailingComma: true } as const

/** A range of characters. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** The syntax tree of a text; null for a text that has none, or is larger than gateways take. Comments do not matter. */
export const treeOf = ofLatestTexts((text): Node | null => (isWithinLimits(text) ? treeOfAny(text) : null))

/** The same of a text of any size, for what is not done at each key. */
export function treeOfAny(text: string): Node | null {
  try {
    return parseTree(text, [], LENIENT) ?? null
  } catch (error) {
    // Nested deeper than the stack; gateways do not load it either.
    if (error instanceof RangeError) return null
    throw error
  }
}

/** The indentation of a text: that of its first line with one. */
function formattingOf(text: string): FormattingOptions {
  const indent = /^(\t|[ ]{1,8})(?=\S)/m.exec(text)?.[1] ?? '  '
  return { insertSpaces: indent !== '\t', tabSize: indent.length, eol: '\n' }
}

/** Changes the value at a path and nothing else of the text; undefined removes it. */
export function withValue(text: string, path: JSONPath, value: unknown): string {
  if (value === undefined) {
    const shortened = withoutLastElement(text, path)
    if (shortened !== null) return shortened
  }
  return applyEdits(text, modify(text, path, value, { formattingOptions: formattingOf(text) }))
}

/**
 * Removes the last of several elements and the comma before it; null for any other path. `modify` keeps the last character of
 * an element that the bracket follows at once, and drops the comments before the element.
 */
function withoutLastElement(text: string, path: JSONPath): string | null {
  const tree = treeOf(text)
  const list = tree === null || path.length === 0 ? undefined : findNodeAtLocation(tree, path.slice(0, -1))
  const elements = list?.type === 'array' ? (list.children ?? []) : []
  const last = elements.at(-1)
  const previous = elements.at(-2)
  if (last === undefined || previous === undefined || path.at(-1) !== elements.length - 1) return null
  const start = previous.offset + previous.length
  const between = text.slice(start, last.offset)
  const scanner = createScanner(between, true)
  // The scanner skips comments, in which a comma may be; between two elements there is one other token.
  scanner.scan()
  const at = scanner.getTokenOffset()
  const without = between.slice(0, at) + between.slice(at + 1)
  // White space after a comment stays: the end of a line may end the comment.
  return text.slice(0, start) + (without.trim() === '' ? '' : without) + text.slice(last.offset + last.length)
}

/** Inserts an element into a list. */
export function withElement(text: string, path: JSONPath, value: unknown): string {
  return applyEdits(text, modify(text, path, value, { formattingOptions: formattingOf(text), isArrayInsertion: true }))
}

/** Where a value is; null where there is none. */
export function rangeAt(text: string, path: JSONPath): Range | null {
  const tree = treeOf(text)
  const node = tree === null ? undefined : findNodeAtLocation(tree, path)
  return node === undefined ? null : { from: node.offset, to: node.offset + node.length }
}

/** Path of the innermost value at a character. */
export function pathAt(text: string, offset: number): JSONPath {
  return locationAt(text, offset).path
}

/** Where a character is; at no value in a text that is larger than gateways take. */
export function locationAt(
  text: string,
  offset: number,
): Pick<Location, 'path' | 'isAtPropertyKey'> & { readonly previousNode?: Node | undefined } {
  return isWithinLimits(text) ? getLocation(text, offset) : { path: [], isAtPropertyKey: false }
}

/** A JSON pointer (RFC 6901) as path in a tree: whether a part is an index depends on the value it is in. */
export function pathOf(tree: Node | null, pointer: string): JSONPath {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  let node: Node | undefined = tree ?? undefined
  return parts.map((part) => {
    const step = node?.type === 'array' ? Number(part) : part
    node = node === undefined ? undefined : findNodeAtLocation(node, [step])
    return step
  })
}

/** Where a problem is: the value it names, the nearest value around it that exists, or its line. */
export function rangeOfProblem(text: string, { pointer, line, column }: Problem): Range {
  const tree = treeOf(text)
  const path = pathOf(tree, pointer)
  for (let length = path.length; tree !== null && length > 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length))
    if (node !== undefined) return { from: node.offset, to: node.offset + node.length }
  }
  if (line === undefined) return { from: 0, to: Math.min(1, text.length) }
  const start = text
    .split('\n')
    .slice(0, line - 1)
    .reduce((sum, one) => sum + one.length + 1, 0)
  const from = Math.min(text.length, start + (column ?? 1) - 1)
  return { from, to: Math.min(text.length, from + 1) }
}

/** The line of a problem, counted from 1. */
export function lineOfProblem(text: string, problem: Problem): number {
  return problem.line ?? text.slice(0, rangeOfProblem(text, problem).from).split('\n').length
}
