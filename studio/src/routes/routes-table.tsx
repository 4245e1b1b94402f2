import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { Link } from 'wouter'
import type { RouteRow } from './route-rows.ts'

const ROW_HEIGHT = 36

/** The list of routes; only the visible rows are in the document. */
export function RoutesTable({ rows, total, router }: { rows: readonly RouteRow[]; total: number; router: string }) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  })
  return (
    <div role="table" aria-label="Routes" aria-rowcount={total} className="rows">
      <div role="row" className="row head">
        {['Route ID', 'State', 'Condition', ''].map((name) => (
          <span role="columnheader" key={name}>
            {name}
          </span>
        ))}
      </div>
      <div ref={scroller} className="scroller" tabIndex={0} role="rowgroup">
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index] as RouteRow
            return (
              <div role="row" aria-rowindex={index + 2} className="row" key={row.id} style={{ top: start }}>
                <Cells row={row} router={router} />
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

function Cells({ row, router }: { row: RouteRow; router: string }) {
  return (
    <>
      <span role="cell">
        <Link href={`/routes/${encodeURIComponent(router)}/${encodeURIComponent(row.id)}`}>{row.id}</Link>
        {row.name !== '' && row.name !== row.id && <span className="muted"> {row.name}</span>}
      </span>
      <span role="cell" title={row.problem ?? undefined}>
        <span className={`state ${row.state.replace(' ', '-')}`}>{row.state}</span>
      </span>
      <code role="cell">{row.condition}</code>
      <span role="cell">{row.isDraft && <span className="badge">draft</span>}</span>
    </>
  )
}
