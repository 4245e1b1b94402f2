import { defaultKeymap, indentWithTab } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, foldGutter, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { searchKeymap } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { classHighlighter } from '@lezer/highlight'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Problem } from '../api/client.ts'
import { CSP_NONCE } from '../app/csp-nonce.ts'
import { rangeOfProblem } from '../model/route-document.ts'
import { plainReplacement } from '../ui/plain-replacement.ts'
import { jsonExpressionMarks } from './expressions/expression-marks.ts'
import type { ExpressionRoute } from './expressions/expression-route.ts'
import { jsonCommentMarks } from './json-comment-marks.ts'
import { jsonSchema } from './json-schema.ts'

/** The text of a route, with the problems of the gateway's validation at their lines. */
export function JsonEditor({
  text,
  route,
  problems,
  selection,
  onChange,
  onUndo,
  onRedo,
  onCursor,
}: {
  text: string
  route: ExpressionRoute
  problems: readonly Problem[]
  /** Characters to show as selected, where an object of the canvas is. */
  selection: { readonly from: number; readonly to: number } | null
  onChange: (text: string) => void
  onUndo: () => void
  onRedo: () => void
  onCursor: (offset: number) => void
}) {
  const client = useQueryClient()
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const latest = useRef({ route, onChange, onUndo, onRedo, onCursor })
  latest.current = { route, onChange, onUndo, onRedo, onCursor }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once; the effects below keep it up to date.
  useEffect(() => {
    if (host.current === null) return
    const made = new EditorView({ parent: host.current, state: startState(text, client, () => latest.current) })
    view.current = made
    return () => made.destroy()
  }, [])

  useEffect(() => {
    const now = view.current
    if (now === null || now.state.doc.toString() === text) return
    now.dispatch({ changes: smallestChange(now.state.doc.toString(), text) })
  }, [text])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor moves the marks with the text until it is validated again.
  useEffect(() => {
    const now = view.current
    if (now === null || now.state.doc.toString() !== text) return
    const diagnostics: Diagnostic[] = problems.map((problem) => {
      const { from, to } = rangeOfProblem(text, problem)
      return { from, to, severity: 'error', message: problem.message }
    })
    now.dispatch(setDiagnostics(now.state, diagnostics))
  }, [problems])

  useEffect(() => {
    const now = view.current
    if (now === null || selection === null || now.hasFocus || selection.to > now.state.doc.length) return
    now.dispatch({
      selection: { anchor: selection.from, head: selection.to },
      effects: EditorView.scrollIntoView(selection.from, { y: 'center' }),
    })
  }, [selection])

  return <div ref={host} className="json" />
}

type Callbacks = {
  route: ExpressionRoute
  onChange: (text: string) => void
  onUndo: () => void
  onRedo: () => void
  onCursor: (offset: number) => void
}

function startState(text: string, client: QueryClient, latest: () => Callbacks): EditorState {
  const run = (name: 'onUndo' | 'onRedo') => () => {
    latest()[name]()
    return true
  }
  return EditorState.create({
    doc: text,
    extensions: [
      // Undo is that of the draft, which has the changes of the canvas too.
      keymap.of([
        { key: 'Mod-z', run: run('onUndo') },
        { key: 'Mod-y', run: run('onRedo') },
        { key: 'Mod-Shift-z', run: run('onRedo') },
        ...searchKeymap,
        ...defaultKeymap,
        indentWithTab,
      ]),
      lineNumbers(),
      foldGutter(),
      lintGutter(),
      drawSelection(),
      highlightActiveLine(),
      indentOnInput(),
      bracketMatching(),
      jsonSchema(client, () => latest().route),
      jsonExpressionMarks(),
      jsonCommentMarks(),
      plainReplacement(),
      json(),
      syntaxHighlighting(classHighlighter),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({
        'aria-label': 'JSON',
        'aria-description': 'Tab indents; Escape and then Tab leaves the text.',
        tabindex: '0',
      }),
      EditorView.cspNonce.of(CSP_NONCE),
      EditorView.updateListener.of((update) => {
        const isTyped = update.transactions.some(
          (transaction) =>
            transaction.isUserEvent('input') || transaction.isUserEvent('delete') || transaction.isUserEvent('move'),
        )
        if (update.docChanged && isTyped) latest().onChange(update.state.doc.toString())
        if (update.selectionSet && update.view.hasFocus) latest().onCursor(update.state.selection.main.head)
      }),
    ],
  })
}

/** The change between two texts without their common beginning and end, so that the cursor stays where it is. */
function smallestChange(before: string, after: string): { from: number; to: number; insert: string } {
  const shortest = Math.min(before.length, after.length)
  let from = 0
  while (from < shortest && before[from] === after[from]) from++
  let end = 0
  while (end < shortest - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) }
}
