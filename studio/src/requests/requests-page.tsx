import { useCallback, useDeferredValue, useState } from 'react'
import type { RequestEvent } from '../api/live-requests.ts'
import { useEvents } from '../api/stream.ts'
import { OpenedRequest } from './opened-request.tsx'
import { queryFilterOf } from './query-filter-of.ts'

const KEPT = 500

/** Requests as they are answered, while the page is open. */
export function RequestsPage() {
  const [words, setWords] = useState('')
  const [rows, setRows] = useState<readonly RequestEvent[]>([])
  const [skipped, setSkipped] = useState(0)
  const [opened, setOpened] = useState<string | null>(null)
  const filter = queryFilterOf(useDeferredValue(words))
  const path = `api/monitor/requests?_queryFilter=${encodeURIComponent(filter)}`
  const take = useCallback((event: RequestEvent | { skipped: number }) => {
    if ('skipped' in event) setSkipped((before) => before + event.skipped)
    else setRows((before) => [event, ...before].slice(0, KEPT))
  }, [])
  const state = useEvents<RequestEvent | { skipped: number }>(path, take)
  return (
    <section className="page" aria-labelledby="requests-title">
      <div className="bar">
        <h1 id="requests-title">Requests</h1>
        <span className="count" role="status">
          {typeof state === 'object'
            ? 'No requests are shown: the filter is not right.'
            : state === 'lost'
              ? 'Connection lost; trying again.'
              : `${rows.length} shown${skipped > 0 ? `, ${skipped} more passed` : ''}`}
        </span>
        <input
          type="search"
          aria-label="Filter requests"
          placeholder={'Words of the path, or a query filter: status ge 500'}
          value={words}
          onChange={(event) => {
            setWords(event.target.value)
            setRows([])
          }}
        />
        <button type="button" onClick={() => setRows([])}>
          Clear
        </button>
      </div>
      {typeof state === 'object' && (
        <p role="alert" className="error">
          {state.refused}
        </p>
      )}
      {rows.length === 0 && typeof state === 'string' && (
        <p className="empty">Waiting for requests. They appear here as they are answered.</p>
      )}
      <div className="scroller" tabIndex={0} role="group" aria-label="Live requests">
        <table aria-label="Requests" className="requests">
          <thead>
            <tr>
              {['Time', 'Method', 'Path', 'Status', 'ms', 'Route', 'User', 'Transaction'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row
                key={row.transactionId + row.timestamp}
                row={row}
                isOpen={opened === row.transactionId}
                onOpen={setOpened}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function Row({ row, isOpen, onOpen }: { row: RequestEvent; isOpen: boolean; onOpen: (id: string | null) => void }) {
  const { timestamp, method, path, status, elapsed, route, user, transactionId } = row
  return (
    <>
      <tr>
        <td>{new Date(timestamp).toLocaleTimeString()}</td>
        <td>{method}</td>
        <td>
          <button
            type="button"
            className="quiet link"
            aria-expanded={isOpen}
            onClick={() => onOpen(isOpen ? null : transactionId)}
          >
            {path}
          </button>
        </td>
        <td className={`status s${String(status ?? 0)[0]}`}>{status ?? 'aborted'}</td>
        <td>{elapsed}</td>
        <td>{route ?? ''}</td>
        <td>{user ?? ''}</td>
        <td>
          <code>{transactionId}</code>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={8}>
            <OpenedRequest request={row} />
          </td>
        </tr>
      )}
    </>
  )
}
