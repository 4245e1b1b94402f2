import { json } from '@codemirror/lang-json'
import { syntaxHighlighting } from '@codemirror/language'
import { MergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { classHighlighter } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import { CSP_NONCE } from '../app/csp-nonce.ts'

/** Two texts side by side, with their differences marked. */
export function TextDiff({
  before,
  after,
  names,
}: {
  before: string
  after: string
  names: readonly [before: string, after: string]
}) {
  const host = useRef<HTMLDivElement>(null)
  const [left, right] = names
  useEffect(() => {
    if (host.current === null) return
    const merged = new MergeView({
      parent: host.current,
      a: { doc: before, extensions: extensions(left) },
      b: { doc: after, extensions: extensions(right) },
      collapseUnchanged: {},
    })
    return () => merged.destroy()
  }, [before, after, left, right])
  return (
    <>
      <div className="diff-names">
        <span>{left}</span>
        <span>{right}</span>
      </div>
      <div ref={host} className="diff" />
    </>
  )
}

function extensions(name: string) {
  return [
    lineNumbers(),
    json(),
    syntaxHighlighting(classHighlighter),
    EditorState.readOnly.of(true),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': name }),
    EditorView.cspNonce.of(CSP_NONCE),
  ]
}
