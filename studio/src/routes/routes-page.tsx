import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { useLocation } from 'wouter'
import { useMetrics } from '../api/metrics.ts'
import { listRoutes } from '../api/routes.ts'
import { draftIds, onDraftChange, writeDraft } from '../model/drafts.ts'
import { Failure } from '../ui/failure.tsx'
import { DeletedRoutes } from './deleted-routes.tsx'
import { NewRoute } from './new-route.tsx'
import { filterRows, rowsOf } from './route-rows.ts'
import { RoutesTable } from './routes-table.tsx'

/** The router of `config.json` that the management API always has. */
export const DEFAULT_ROUTER = '_router'

/** The routes of the gateway, in the order in which they are tried. */
export function RoutesPage() {
  const router = DEFAULT_ROUTER
  const [, go] = useLocation()
  const routes = useQuery({ queryKey: ['routes', router], queryFn: () => listRoutes(router), refetchInterval: 10_000 })
  const metrics = useMetrics()
  const drafts = useSyncExternalStore(onDraftChange, () => draftIds(router).join('\n'))
  const [words, setWords] = useState('')
  const [dialog, setDialog] = useState<'new' | 'deleted' | null>(null)
  const chooser = useRef<HTMLInputElement>(null)
  const rows = useMemo(() => rowsOf(routes.data ?? [], drafts === '' ? [] : drafts.split('\n')), [routes.data, drafts])
  const shown = filterRows(rows, useDeferredValue(words))
  const open = (id: string) => go(`/routes/${encodeURIComponent(router)}/${encodeURIComponent(id)}`)
  const importFile = async (file: File) => {
    const id = file.name.replace(/\.json$/i, '').replaceAll(/[^A-Za-z0-9._-]/g, '-')
    writeDraft(router, id, { text: await file.text(), base: null, sourceRev: null })
    open(id)
  }
  return (
    <section className="page" aria-labelledby="routes-title">
      <div className="bar">
        <h1 id="routes-title">Routes</h1>
        <span className="count">
          {shown.length === rows.length ? `${rows.length} routes` : `${shown.length} of ${rows.length} routes`}
        </span>
        <input
          type="search"
          aria-label="Filter routes"
          placeholder="Filter by ID, name, type or condition"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <button type="button" className="primary" onClick={() => setDialog('new')}>
          New route
        </button>
        <button type="button" onClick={() => chooser.current?.click()}>
          Import
        </button>
        <button type="button" onClick={() => setDialog('deleted')}>
          Deleted routes
        </button>
        <input
          ref={chooser}
          type="file"
          accept=".json,application/json"
          hidden
          onChange={(event) => {
            const file = event.target.files?.[0]
            if (file !== undefined) void importFile(file)
          }}
        />
      </div>
      {routes.isError && <Failure error={routes.error} retry={() => void routes.refetch()} />}
      {routes.isPending && <p className="page-note">Reading the routes…</p>}
      {routes.isSuccess && rows.length === 0 && (
        <p className="empty">There are no routes yet. "New route" starts one from a template; "Import" takes a file.</p>
      )}
      {rows.length > 0 && shown.length === 0 && <p className="empty">No route has these words.</p>}
      {shown.length > 0 && (
        <RoutesTable rows={shown} total={rows.length} router={router} rates={metrics.latest?.routes ?? {}} />
      )}
      {dialog === 'new' && (
        <NewRoute
          taken={rows.map(({ id }) => id)}
          onClose={() => setDialog(null)}
          onCreate={(id, text) => {
            writeDraft(router, id, { text, base: null, sourceRev: null })
            open(id)
          }}
        />
      )}
      {dialog === 'deleted' && <DeletedRoutes router={router} onClose={() => setDialog(null)} />}
    </section>
  )
}
