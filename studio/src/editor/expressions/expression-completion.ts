import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippetCompletion,
} from '@codemirror/autocomplete'
import type { NameOption } from '../../api/try-it.ts'
import { decodeString } from '../../model/json-string.ts'
import { completionsIn, type ExpressionRoute } from './expression-route.ts'

const IDENTIFIER = /^[\p{L}_$][\p{L}\p{N}_$]*$/u

/** Completes the names of a text with expressions. */
export async function completeExpression(
  context: CompletionContext,
  route: ExpressionRoute,
): Promise<CompletionResult | null> {
  return completeAt(context, route, context.state.doc.sliceString(0, context.pos), (at) => at)
}

/** Completes the names of an expression in a string of JSON that begins at an offset. */
export function completeInString(
  context: CompletionContext,
  start: number,
  route: ExpressionRoute,
): Promise<CompletionResult | null> {
  const { text, offsets } = decodeString(context.state.doc.sliceString(start, context.pos), start)
  return completeAt(context, route, text, (at) => offsets[at] as number)
}

async function completeAt(
  context: CompletionContext,
  route: ExpressionRoute,
  before: string,
  offsetOf: (at: number) => number,
): Promise<CompletionResult | null> {
  if (!context.explicit && !/[\p{L}\p{N}_$.{(]$/u.test(before)) return null
  const { from, options } = await completionsIn(route, before, before.length).catch(() => ({ from: 0, options: [] }))
  if (context.aborted || options.length === 0) return null
  return { from: offsetOf(from), options: options.flatMap(completionOf), validFor: /^[\p{L}\p{N}_$]*$/u }
}

function completionOf({ name, kind, detail }: NameOption): Completion[] {
  const type = kind === 'binding' ? 'variable' : kind
  if (IDENTIFIER.test(name)) {
    const completion = { label: name, type, ...(detail === undefined ? {} : { detail }) }
    const isCall = kind === 'function' || kind === 'method'
    return [isCall ? snippetCompletion(`${name}(\${})`, completion) : completion]
  }
  // A key that is not a name is read by an index, in place of the dot; quotes would need escapes of two languages.
  if (/['"\\\p{Cc}]/u.test(name)) return []
  const index = `['${name}']`
  const apply: Completion['apply'] = (view, _, from, to) =>
    view.dispatch({
      changes: { from: from - 1, to, insert: index },
      selection: { anchor: from - 1 + index.length },
      userEvent: 'input.complete',
    })
  return [{ label: name, type, apply }]
}
