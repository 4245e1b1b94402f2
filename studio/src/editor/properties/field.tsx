import { useId, useState } from 'react'
import type { Schema } from '../../api/types.ts'
import { isObject } from '../../model/canvas-model.ts'
import { isExactNumber } from '../../model/exact-values.ts'
import { isExpression } from '../../model/expression-tokens.ts'
import { DryRun } from './dry-run.tsx'
import { acceptsText, acceptsTexts, shapeOf } from './field-shape.ts'
import { ReferenceInput } from './reference-input.tsx'
import { ListInput, MapInput } from './row-inputs.tsx'
import { type InputProperties, JsonInput, TextInput } from './text-input.tsx'
import { isListOfTexts, isMapOfTexts } from './text-rows.ts'

interface FieldProperties {
  readonly name: string
  readonly schema: Schema
  readonly root: Schema
  readonly value: unknown
  readonly isRequired?: boolean
  readonly onChange: (value: unknown) => void
}

/** One field of an object. An empty input removes the field, so that its default applies. */
export function Field(properties: FieldProperties) {
  const { name, schema, root, value, isRequired = false, onChange } = properties
  const id = useId()
  const shape = shapeOf(schema, root)
  const group = groupOf(properties)
  const marks = (
    <>
      {isRequired && <span className="muted"> required</span>}
      {schema.deprecated === true && <span className="badge">deprecated</span>}
    </>
  )
  const hint = schema.description !== undefined && (
    <p className="hint" id={`${id}-hint`}>
      {schema.description}
    </p>
  )
  if (group !== null) {
    return (
      <fieldset className="field group">
        <legend>
          {name}
          {marks}
        </legend>
        {group}
        {value === undefined && schema.default !== undefined && <p className="hint">{defaultText(schema.default)}</p>}
        {hint}
      </fieldset>
    )
  }
  return (
    <div className="field">
      <label htmlFor={id}>
        {name}
        {marks}
      </label>
      <Input id={id} name={name} shape={shape} value={value} standard={schema.default} onChange={onChange} />
      {(isExpression(value) || (name === 'condition' && typeof value === 'string')) && <DryRun expression={value} />}
      {hint}
    </div>
  )
}

/** Several inputs for a list or map of texts or an object; null for a value that has one input. */
function groupOf({ name, schema, root, value, isRequired = false, onChange }: FieldProperties) {
  const shape = shapeOf(schema, root)
  if (shape.kind === 'list' && acceptsText(shape.item, root) && (value === undefined || isListOfTexts(value)))
    return <ListInput name={name} value={value} onChange={onChange} />
  if (shape.kind === 'map' && (value === undefined || isMapOfTexts(value))) {
    const [acceptsOne, acceptsSeveral] = [acceptsText(shape.value, root), acceptsTexts(shape.value, root)]
    if (acceptsOne || acceptsSeveral) return <MapInput {...{ name, value, acceptsOne, acceptsSeveral, onChange }} />
  }
  if (shape.kind === 'object' && (value === undefined || isObject(value)))
    return <ObjectInput {...{ schema: shape.schema, root, value, isRequired, onChange }} />
  return null
}

/** An object with known fields; its fields are shown once it is set. */
function ObjectInput({
  schema,
  root,
  value = {},
  isRequired,
  onChange,
}: {
  schema: Schema
  root: Schema
  value: Readonly<Record<string, unknown>> | undefined
  isRequired: boolean
  onChange: (value: unknown) => void
}) {
  const [isOpen, setOpen] = useState(isRequired)
  if (!isOpen && Object.keys(value).length === 0) {
    return (
      <button type="button" onClick={() => setOpen(true)}>
        Set
      </button>
    )
  }
  const change = (name: string, next: unknown) => {
    const { [name]: _, ...others } = value
    if (next !== undefined) return onChange({ ...value, [name]: next })
    setOpen(true)
    onChange(Object.keys(others).length === 0 ? undefined : others)
  }
  return <Fields {...{ value, schema, root }} onChange={change} />
}

/** The fields that a schema has, then keys that it does not know. */
export function Fields({
  value,
  schema,
  root,
  onChange,
}: {
  value: Readonly<Record<string, unknown>>
  schema: Schema
  root: Schema
  onChange: (name: string, value: unknown) => void
}) {
  const fields = schema.properties ?? {}
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(fields, key))
  return (
    <>
      {Object.entries(fields)
        .filter(([name, field]) => field.deprecated !== true || name in value)
        .map(([name, field]) => (
          <Field
            key={name}
            name={name}
            schema={field}
            root={root}
            value={value[name]}
            isRequired={schema.required?.includes(name) ?? false}
            onChange={(next) => onChange(name, next)}
          />
        ))}
      {unknown.map((name) => (
        <Field
          key={name}
          name={name}
          schema={{}}
          root={{}}
          value={value[name]}
          onChange={(next) => onChange(name, next)}
        />
      ))}
    </>
  )
}

function Input(properties: InputProperties) {
  const { id, shape, value, onChange } = properties
  const isSimple = value === undefined || typeof value !== 'object' || isExactNumber(value)
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
  if (shape.kind === 'choice' && isSimple && (value === undefined || isChoice(value, shape.values))) {
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
  if (shape.kind === 'reference' && isSimple)
    return <ReferenceInput {...properties} role={shape.role} types={shape.types} />
  const isText = isSimple && ['text', 'number', 'choice', 'boolean'].includes(shape.kind)
  return isText ? <TextInput {...properties} /> : <JsonInput {...properties} />
}

function isChoice(value: unknown, values: readonly string[]): boolean {
  return !isExactNumber(value) && values.includes(String(value))
}

function defaultText(standard: unknown): string {
  return standard === undefined ? 'not set' : `default: ${JSON.stringify(standard)}`
}
