import { useEffect, useId, useState } from 'react'
import type { Schema } from '../../api/types.ts'
import { type FieldShape, shapeOf } from './field-shape.ts'

/** One field of an object. An empty input removes the field, so that its default applies. */
export function Field({
  name,
  schema,
  root,
  value,
  isRequired = false,
  onChange,
}: {
  name: string
  schema: Schema
  root: Schema
  value: unknown
  isRequired?: boolean
  onChange: (value: unknown) => void
}) {
  const id = useId()
  const shape = shapeOf(schema, root)
  return (
    <div className="field">
      <label htmlFor={id}>
        {name}
        {isRequired && <span className="muted"> required</span>}
        {schema.deprecated === true && <span className="badge">deprecated</span>}
      </label>
      <Input id={id} shape={shape} value={value} standard={schema.default} onChange={onChange} />
      {schema.description !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {schema.description}
        </p>
      )}
    </div>
  )
}

interface InputProperties {
  readonly id: string
  readonly shape: FieldShape
  readonly value: unknown
  readonly standard: unknown
  readonly onChange: (value: unknown) => void
}

function Input(properties: InputProperties) {
  const { id, shape, value, onChange } = properties
  const isSimple = value === undefined || typeof value !== 'object'
  if (shape.kind === 'boolean' && (value === undefined || typeof value === 'boolean')) {
    return (
      <select
        id={id}
        value={value === undefined ? '' : String(value)}
        onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value === 'true')}
      >
        <option value="">{defaultText(properties.standard)}</option>
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    )
  }
  if (shape.kind === 'choice' && isSimple && (value === undefined || shape.values.includes(String(value)))) {
    return (
      <select
        id={id}
        value={value === undefined ? '' : String(value)}
        onChange={(event) => onChange(event.target.value || undefined)}
      >
        <option value="">{defaultText(properties.standard)}</option>
        {shape.values.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    )
  }
  const isText = isSimple && ['text', 'number', 'choice', 'boolean', 'reference'].includes(shape.kind)
  return isText ? <TextInput {...properties} /> : <JsonInput {...properties} />
}

function defaultText(standard: unknown): string {
  return standard === undefined ? 'not set' : `default: ${JSON.stringify(standard)}`
}

/** Text, a number, or an expression in the place of any value. */
function TextInput({ id, shape, value, standard, onChange }: InputProperties) {
  const [typed, setTyped] = useDraft(value === undefined ? '' : String(value))
  const commit = () => {
    if (typed === (value === undefined ? '' : String(value))) return
    const isNumber = shape.kind === 'number' && typed.trim() !== '' && !Number.isNaN(Number(typed))
    onChange(typed === '' ? undefined : isNumber ? Number(typed) : typed)
  }
  return (
    <input
      id={id}
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

/** A value of any shape as JSON. */
function JsonInput({ id, value, standard, onChange }: InputProperties) {
  const [typed, setTyped] = useDraft(value === undefined ? '' : JSON.stringify(value, null, 2))
  const [problem, setProblem] = useState<string | null>(null)
  const commit = () => {
    setProblem(null)
    if (typed.trim() === '') return onChange(undefined)
    try {
      const next: unknown = JSON.parse(typed)
      if (JSON.stringify(next) !== JSON.stringify(value)) onChange(next)
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
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
