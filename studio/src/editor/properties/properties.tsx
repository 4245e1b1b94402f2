import type { JSONPath } from 'jsonc-parser'
import { type Schema, type TypeSummary, useType, useTypes } from '../../api/types.ts'
import { removed, valueAt } from '../../model/canvas-edits.ts'
import { isObject } from '../../model/canvas-model.ts'
import { type Moved, movedByStep } from '../../model/canvas-move.ts'
import { withValue } from '../../model/route-document.ts'
import { smallestEdit } from '../../model/smallest-edit.ts'
import { Field, Fields } from './field.tsx'

/** Fields of the selected object, by the definition of its type. */
export function Properties({
  text,
  path,
  onSelect,
  onChange,
}: {
  text: string
  path: JSONPath | null
  onSelect: (path: JSONPath) => void
  onChange: (text: string) => void
}) {
  const value = path === null ? undefined : valueAt(text, path)
  const type = isObject(value) && typeof value['type'] === 'string' ? value['type'] : null
  const details = useType(type)
  const types = useTypes()
  const set = (field: JSONPath, next: unknown) => {
    const at = [...(path ?? []), ...field]
    const edit = smallestEdit(valueAt(text, at), next)
    onChange(withValue(text, [...at, ...edit.path], edit.value))
  }
  const move = (moved: Moved | null) => {
    if (moved === null) return
    onChange(moved.text)
    if (moved.paths[0] !== undefined) onSelect(moved.paths[0])
  }
  return (
    <section aria-label="Properties" className="properties">
      {path === null && <p className="empty">Select an object of the canvas to see its fields.</p>}
      {path !== null && path.join() === 'condition' && (
        <Field name="condition" schema={CONDITION} root={CONDITION} value={value} onChange={(next) => set([], next)} />
      )}
      {path !== null && typeof value === 'string' && path.join() !== 'condition' && (
        <Field
          name="reference"
          schema={REFERENCE}
          root={referenceRoot(types.data ?? [], path.at(-1) === 'handler' ? 'Handler' : 'Filter')}
          value={value}
          onChange={(next) => set([], next)}
        />
      )}
      {path !== null && isObject(value) && (
        <div key={path.join('/')} className="scroller" tabIndex={0} role="group" aria-label="Fields">
          <h2>{type ?? 'Object'}</h2>
          {details.data !== undefined && <p className="hint">{details.data.summary}</p>}
          {details.isError && <p className="hint">The gateway does not know this type; its fields are in the text.</p>}
          <Field name="name" schema={NAME} root={NAME} value={value['name']} onChange={(next) => set(['name'], next)} />
          {/* Without the definition a field would have another input, which loses what is typed when the definition arrives. */}
          {details.isLoading ? (
            <p className="hint">Reading the fields of {type}…</p>
          ) : (
            <ConfigFields value={value} root={details.data?.schema} onChange={set} />
          )}
          <div className="actions">
            {typeof path.at(-1) === 'number' && (
              <>
                <button type="button" onClick={() => move(movedByStep(text, path, -1))}>
                  Move earlier
                </button>
                <button type="button" onClick={() => move(movedByStep(text, path, 1))}>
                  Move later
                </button>
              </>
            )}
            <button type="button" className="danger" onClick={() => onChange(removed(text, path))}>
              Remove
            </button>
          </div>
        </div>
      )}
    </section>
  )
}

const CONDITION: Schema = { type: 'string', description: 'Requests for which this is true take the route.' }
const REFERENCE: Schema = {
  description: 'Name of an object of the heap, here or in config.json.',
  $ref: '#/$defs/Role',
}
const NAME: Schema = { type: 'string', description: 'The name by which others refer to it.' }

/** The schema of a reference in the flow: types of the kind that its place needs. */
function referenceRoot(types: readonly TypeSummary[], kind: string): Schema {
  const fitting = types.filter((type) => type.kind === kind).map(({ _id }) => _id)
  return { $defs: { Role: { type: ['string', 'object'], properties: { type: { enum: fitting } } } } }
}

/** Fields of `config`. */
function ConfigFields({
  value,
  root,
  onChange,
}: {
  value: Readonly<Record<string, unknown>>
  root: Schema | undefined
  onChange: (path: JSONPath, value: unknown) => void
}) {
  return (
    <Fields
      value={isObject(value['config']) ? value['config'] : {}}
      schema={root?.properties?.['config'] ?? {}}
      root={root ?? {}}
      onChange={(name, next) => onChange(['config', name], next)}
    />
  )
}
