import { useEffect, useRef, useState } from 'react'
import { isExactNumber, numberOf, parseExact } from '../../model/exact-values.ts'
import { isExpression } from '../../model/expression-tokens.ts'
import { useUnapplied } from '../../ui/unapplied-inputs.ts'
import { ExpressionInput } from '../expressions/expression-input.tsx'
import type { FieldShape } from './field-shape.ts'

/** An input of a field; `standard` is the default. */
export interface InputProperties {
  readonly id: string
  readonly name: string
  readonly shape: FieldShape
  readonly value: unknown
  readonly standard: unknown
  readonly onChange: (value: unknown) => void
}

/** Text, a number, or an expression in the place of any value. */
export function TextInput({ id, name, shape, value, standard, list, onChange }: InputProperties & { list?: string }) {
  const applied = textOf(value)
  const [typed, setTyped] = useDraft(applied)
  const [expression, input] = useExpression(typed)
  const commit = () => {
    if (typed === applied) return
    const isNumber = shape.kind === 'number' && typed.trim() !== '' && !Number.isNaN(Number(typed))
    onChange(typed === '' ? undefined : isNumber ? numberOf(typed.trim()) : typed)
  }
  useUnapplied(typed !== applied, commit)
  if (expression !== null) {
    const properties = { label: name, value: typed, hint: `${id}-hint`, onType: setTyped, onCommit: commit }
    return <ExpressionInput {...properties} {...expression} />
  }
  return (
    <input
      ref={input}
      id={id}
      list={list}
      value={typed}
      aria-describedby={`${id}-hint`}
      placeholder={standard === undefined ? '' : JSON.stringify(standard)}
      spellCheck={false}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
    />
  )
}

/** A simple value as it is typed. */
function textOf(value: unknown): string {
  if (value === undefined) return ''
  return isExactNumber(value) ? value.rawJSON : String(value)
}

/** A value of any shape as JSON. */
export function JsonInput({ id, value, standard, onChange }: InputProperties) {
  const formatted = value === undefined ? '' : JSON.stringify(value, null, 2)
  const [typed, setTyped] = useDraft(formatted)
  const [problem, setProblem] = useState<string | null>(null)
  const commit = () => {
    setProblem(null)
    if (typed.trim() === '') return onChange(undefined)
    try {
      const next = parseExact(typed)
      if (JSON.stringify(next) !== JSON.stringify(value)) onChange(next)
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  useUnapplied(typed !== formatted, commit)
  return (
    <>
      <textarea
        id={id}
        rows={Math.min(12, typed.split('\n').length)}
        value={typed}
        aria-invalid={problem !== null}
        aria-describedby={`${id}-hint`}
        placeholder={standard === undefined ? '' : JSON.stringify(standard)}
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={commit}
      />
      {problem !== null && <p className="error">{problem}</p>}
    </>
  )
}

/** What is typed until it is committed; a value that changes elsewhere replaces it. */
function useDraft(value: string): [string, (text: string) => void] {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  return [typed, setTyped]
}

/** Whether a text has been an expression since the input was shown: it then has the input for expressions, with the focus. */
function useExpression(typed: string) {
  const input = useRef<HTMLInputElement>(null)
  const [isExpressive, setExpressive] = useState(() => isExpression(typed))
  const [isFocused, setFocused] = useState(false)
  if (!isExpressive && isExpression(typed)) {
    setFocused(input.current !== null && input.current === document.activeElement)
    setExpressive(true)
  }
  return [isExpressive ? { isFocused } : null, input] as const
}

/** A text of a row, applied when the input is left or with Enter. */
export function DraftInput({
  label,
  value,
  onCommit,
}: {
  label: string
  value: string
  onCommit: (text: string) => void
}) {
  const [typed, setTyped] = useDraft(value)
  const [expression, input] = useExpression(typed)
  const commit = () => typed !== value && onCommit(typed)
  useUnapplied(typed !== value, commit)
  if (expression !== null)
    return <ExpressionInput label={label} value={typed} onType={setTyped} onCommit={commit} {...expression} />
  return (
    <input
      ref={input}
      aria-label={label}
      value={typed}
      spellCheck={false}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
    />
  )
}
