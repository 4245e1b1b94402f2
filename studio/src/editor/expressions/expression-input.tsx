import { autocompletion } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { type Diagnostic, setDiagnostics } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, keymap } from '@codemirror/view'
import { useEffect, useId, useRef, useState } from 'react'
import { CSP_NONCE } from '../../app/csp-nonce.ts'
import { plainReplacement } from '../../ui/plain-replacement.ts'
import { useFormRoute } from '../properties/form-route.ts'
import { completeExpression } from './expression-completion.ts'
import { expressionMarks } from './expression-marks.ts'
import { type ExpressionRoute, evaluateIn } from './expression-route.ts'

const CHECK_DELAY = 300

/** A text with expressions: highlighted, completed, and checked by the gateway while it is typed. Enter applies it. */
export function ExpressionInput({
  label,
  value,
  hint,
  isFocused = false,
  onType,
  onCommit,
}: {
  label: string
  value: string
  /** Id of the description. */
  hint?: string
  /** Whether it takes the focus when it is shown. */
  isFocused?: boolean
  onType: (text: string) => void
  onCommit: () => void
}) {
  const route = useFormRoute()
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const latest = useRef({ route, onType, onCommit })
  latest.current = { route, onType, onCommit }
  const problem = useSyntaxError(value, route)
  const reason = useId()
  const isInvalid = problem !== null

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once; the effects below keep it up to date.
  useEffect(() => {
    if (host.current === null) return
    const made = new EditorView({ parent: host.current, state: startState(value, () => latest.current) })
    view.current = made
    if (isFocused) {
      made.focus()
      made.dispatch({ selection: { anchor: value.length } })
    }
    return () => made.destroy()
  }, [])

  useEffect(() => {
    const now = view.current
    if (now === null || now.state.doc.toString() === value) return
    now.dispatch({ changes: { from: 0, to: now.state.doc.length, insert: value } })
  }, [value])

  useEffect(() => {
    const content = view.current?.contentDOM
    if (content === undefined) return
    content.setAttribute('aria-label', label)
    content.setAttribute('aria-invalid', String(isInvalid))
    content.setAttribute('aria-describedby', [hint, isInvalid ? reason : null].filter(Boolean).join(' '))
  }, [label, hint, isInvalid, reason])

  useEffect(() => {
    const now = view.current
    if (now === null) return
    const at = Math.min((problem?.column ?? 1) - 1, Math.max(0, now.state.doc.length - 1))
    const diagnostics: Diagnostic[] =
      problem === null
        ? []
        : [{ from: at, to: Math.min(at + 1, now.state.doc.length), severity: 'error', message: problem.message }]
    now.dispatch(setDiagnostics(now.state, diagnostics))
  }, [problem])

  return (
    <>
      <div ref={host} className="expression-input" />
      {problem !== null && (
        <p id={reason} className="error" role="status">
          Column {problem.column}: {problem.message}
        </p>
      )}
    </>
  )
}

function startState(
  text: string,
  latest: () => { route: ExpressionRoute; onType: (text: string) => void; onCommit: () => void },
): EditorState {
  const commit = () => {
    latest().onCommit()
    return true
  }
  return EditorState.create({
    doc: text,
    extensions: [
      autocompletion({ override: [(context) => completeExpression(context, latest().route)] }),
      // Below the keys of an open list of completions.
      keymap.of([{ key: 'Enter', run: commit, shift: () => false }, ...historyKeymap, ...defaultKeymap]),
      history(),
      drawSelection(),
      expressionMarks(),
      plainReplacement(),
      EditorView.lineWrapping,
      EditorView.cspNonce.of(CSP_NONCE),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) latest().onType(update.state.doc.toString())
        if (update.focusChanged && !update.view.hasFocus) latest().onCommit()
      }),
    ],
  })
}

/** The syntax error of a text, by the gateway's own parser, after a pause of typing. */
function useSyntaxError(text: string, route: ExpressionRoute) {
  const [problem, setProblem] = useState<{ readonly message: string; readonly column: number } | null>(null)
  const { router, deployedId } = route
  // The problems of the validation have those of the text that is there.
  const [first] = useState(text)
  // biome-ignore lint/correctness/useExhaustiveDependencies: syntax does not depend on the text of the route.
  useEffect(() => {
    if (text === first) return setProblem(null)
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      // Without a response the problems of the validation remain.
      const { error } = await evaluateIn(route, text, abort.signal).catch(() => ({ error: undefined }))
      if (abort.signal.aborted) return
      setProblem(error?.column === undefined ? null : { message: error.message, column: error.column })
    }, CHECK_DELAY)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text, router, deployedId])
  return problem
}
