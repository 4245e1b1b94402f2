import { type ReactNode, useEffect, useRef, useState } from 'react'
import { isExpression } from '../../model/expression-tokens.ts'
import { useUnapplied } from '../../ui/unapplied-inputs.ts'
import { DryRun } from './dry-run.tsx'
import { DraftInput } from './text-input.tsx'
import { isHalfFilled, listOf, type MapRow, mapOf, repeatedName, rowsOfMap } from './text-rows.ts'

/** Rows as they are edited; a value that changes elsewhere replaces them. */
function useRows<Row>(value: unknown, read: () => readonly Row[], write: (rows: readonly Row[]) => unknown) {
  const [rows, setRows] = useState(read)
  const current = JSON.stringify(value)
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that are not filled yet stay until the value changes.
  useEffect(() => {
    if (JSON.stringify(write(rows)) !== current) setRows(read())
  }, [current])
  return [rows, setRows] as const
}

/** A list of texts, one row each. */
export function ListInput({
  name,
  value,
  onChange,
}: {
  name: string
  value: readonly string[] | undefined
  onChange: (value: unknown) => void
}) {
  const [rows, setRows] = useRows(value, () => value ?? [], listOf)
  const change = (next: readonly string[]) => {
    setRows(next)
    if (JSON.stringify(listOf(next)) !== JSON.stringify(value)) onChange(listOf(next))
  }
  return (
    <>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity.
        <Row key={index} expressions={[row]} onDelete={() => change(rows.toSpliced(index, 1))}>
          <DraftInput label={`${name} ${index + 1}`} value={row} onCommit={(text) => change(rows.with(index, text))} />
        </Row>
      ))}
      <button type="button" onClick={() => setRows([...rows, ''])}>
        Add row
      </button>
    </>
  )
}

/** A map of texts or lists of texts: name and values of each entry. */
export function MapInput({
  name,
  value,
  acceptsOne,
  acceptsSeveral,
  onChange,
}: {
  name: string
  value: unknown
  acceptsOne: boolean
  acceptsSeveral: boolean
  onChange: (value: unknown) => void
}) {
  const [rows, setRows] = useRows(value, () => rowsOfMap(value), mapOf)
  const repeated = repeatedName(rows)
  const change = (next: readonly MapRow[]) => {
    setRows(next)
    if (repeatedName(next) === null && JSON.stringify(mapOf(next)) !== JSON.stringify(value)) onChange(mapOf(next))
  }
  // The name without a value, and a name that is there twice, are in no text yet.
  useUnapplied(repeated !== null || rows.some(isHalfFilled), () => {})
  return (
    <>
      {rows.map((row, index) => {
        const set = (part: Partial<MapRow>) => change(rows.with(index, { ...row, ...part }))
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity.
          <Row key={index} expressions={row.values} onDelete={() => change(rows.toSpliced(index, 1))}>
            <DraftInput label={`${name} name ${index + 1}`} value={row.name} onCommit={(text) => set({ name: text })} />
            {row.values.map((one, at) => (
              <DraftInput
                // biome-ignore lint/suspicious/noArrayIndexKey: values have no other identity.
                key={at}
                label={`${name} value ${index + 1}${at === 0 ? '' : `.${at + 1}`}`}
                value={one}
                onCommit={(text) => set({ values: row.values.with(at, text) })}
              />
            ))}
            {acceptsSeveral && (
              <button type="button" onClick={() => setRows(rows.with(index, { ...row, values: [...row.values, ''] }))}>
                Add value
              </button>
            )}
          </Row>
        )
      })}
      {repeated !== null && <p className="error">The name {repeated} is there twice; the change is not applied.</p>}
      <button type="button" onClick={() => setRows([...rows, { name: '', values: [''], isList: !acceptsOne }])}>
        Add row
      </button>
    </>
  )
}

function Row({
  expressions,
  onDelete,
  children,
}: {
  expressions: readonly string[]
  onDelete: () => void
  children: ReactNode
}) {
  const row = useRef<HTMLDivElement>(null)
  /** The button of the last row goes, and would take the focus with it. */
  const remove = () => {
    const group = row.current?.parentElement
    const rows = group?.querySelectorAll(':scope > .text-row') ?? []
    if (rows[rows.length - 1] === row.current) group?.querySelector<HTMLElement>(':scope > button')?.focus()
    onDelete()
  }
  return (
    <div ref={row} className="text-row">
      {children}
      <button type="button" onClick={remove}>
        Delete row
      </button>
      {expressions.filter(isExpression).map((expression, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: expressions have no other identity.
        <DryRun key={index} expression={expression} />
      ))}
    </div>
  )
}
