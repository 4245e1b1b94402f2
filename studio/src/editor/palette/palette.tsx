import { useQueryClient } from '@tanstack/react-query'
import type { JSONPath } from 'jsonc-parser'
import { type KeyboardEvent, useState } from 'react'
import { type TypeSummary, typeQuery, useTypes } from '../../api/types.ts'
import { inserted } from '../../model/canvas-edits.ts'
import { Failure } from '../../ui/failure.tsx'
import { FILTER_MEDIA, TYPE_MEDIA } from './type-media.ts'
import { useNewObject } from './use-new-object.ts'

/** Types of the gateway by their kind; a button adds an object of a type to the route. */
export function Palette({
  text,
  selected,
  onChange,
}: {
  text: string
  selected: JSONPath | null
  onChange: (text: string) => void
}) {
  const types = useTypes()
  const [words, setWords] = useState('')
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = (types.data ?? []).filter(({ _id, summary, deprecated }) =>
    wanted.length === 0
      ? deprecated === null
      : wanted.every((word) => `${_id} ${summary}`.toLowerCase().includes(word)),
  )
  const byKind = Map.groupBy(shown, ({ kind }) => kind ?? 'Other')
  const first = byKind.values().next().value?.[0]
  return (
    <section aria-label="Palette" className="palette" onKeyDown={stepThroughTypes}>
      <input
        type="search"
        aria-label="Search types"
        placeholder="Search types"
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      {types.isError && <Failure error={types.error} retry={() => void types.refetch()} />}
      <div className="scroller" tabIndex={0} role="group" aria-label="Types">
        {Array.from(byKind, ([kind, members]) => (
          <div key={kind}>
            <h2>{kind}</h2>
            {members.map((type) => (
              <AddButton
                key={type._id}
                type={type}
                text={text}
                selected={selected}
                // Tab passes a long list in one step; the arrow keys go through it.
                isTabStop={wanted.length > 0 || type === first}
                onChange={onChange}
              />
            ))}
          </div>
        ))}
      </div>
    </section>
  )
}

/** Arrow keys go from the search to the types and from type to type. */
function stepThroughTypes(event: KeyboardEvent<HTMLElement>): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (by === undefined) return
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, button.type')]
  stops[stops.indexOf(document.activeElement as HTMLElement) + by]?.focus()
  event.preventDefault()
}

function AddButton({
  type,
  text,
  selected,
  isTabStop,
  onChange,
}: {
  type: TypeSummary
  text: string
  selected: JSONPath | null
  isTabStop: boolean
  onChange: (text: string) => void
}) {
  const queries = useQueryClient()
  const newObject = useNewObject()
  // The schema, which says what a new object needs, is read when the pointer or the focus is near.
  const prefetch = () => void queries.prefetchQuery(typeQuery(type._id))
  const add = async () => {
    const { kind, value, roles } = await newObject(type._id, text)
    onChange(inserted(text, kind, value, selected, roles))
  }
  return (
    <button
      type="button"
      className="quiet type"
      tabIndex={isTabStop ? 0 : -1}
      title={type.summary}
      draggable
      onDragStart={({ dataTransfer }) => {
        dataTransfer.setData(TYPE_MEDIA, type._id)
        if (type.kind === 'Filter') dataTransfer.setData(FILTER_MEDIA, type._id)
      }}
      onPointerEnter={prefetch}
      onFocus={prefetch}
      onClick={() => void add()}
      aria-label={`Add ${type._id}`}
    >
      {type._id}
    </button>
  )
}
