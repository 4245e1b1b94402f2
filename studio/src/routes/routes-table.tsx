import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { Link } from 'wouter'
import { failuresOf, type Rates, ratesOf } from '../api/metrics.ts'
import { DEFAULT_ROUTER, metricName } from '../api/routes.ts'
import { routePage } from '../app/paths.ts'
import type { RouteRow } from './route-rows.ts'

const ROW_HEIGHT = 36

/** The list of routes; only the visible rows are in the document. */
export function RoutesTable({
  rows,
  total,
  rates,
}: {
  rows: readonly RouteRow[]
  total: number
  rates: Readonly<Record<string, Rates>>
}) {
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
        {['Route ID', 'State', 'Condition', 'per s', 'errors', 'p99 ms', 'Draft'].map((name) => (
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
              <div
                role="row"
                aria-rowindex={index + 2}
                className="row"
                key={`${row.router} ${row.id}`}
                style={{ top: start }}
              >
                <Cells row={row} rates={ratesOf(rates, metricName(row.router, row.id))} />
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

function Cells({ row, rates }: { row: RouteRow; rates: Rates | undefined }) {
  return (
    <>
      <span role="cell">
        <Link href={routePage(row.router, row.id)}>{row.id}</Link>
        {row.router !== DEFAULT_ROUTER && <span className="muted"> of {row.router}</span>}
        {row.name !== '' && row.name !== row.id && <span className="muted"> {row.name}</span>}
      </span>
      <span role="cell">
        <span className={`state ${row.state.replace(' ', '-')}`}>{row.state}</span>
      </span>
      <span role="cell">
        {row.problems !== '' && (
          <span className="row-problems" title={row.problems}>
            {row.problems}
          </span>
        )}
        <code>{row.condition}</code>
      </span>
      <span role="cell">{rates?.requestsPerSecond.toFixed(1) ?? ''}</span>
      <span role="cell">{rates === undefined ? '' : failuresOf(rates).toFixed(1)}</span>
      <span role="cell">{rates?.p99?.toFixed(1) ?? ''}</span>
      <span role="cell">{row.isDraft && <span className="badge">draft</span>}</span>
    </>
  )
}
