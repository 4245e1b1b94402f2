import { useDeferredValue, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useMetrics } from '../api/metrics.ts'
import { DEFAULT_ROUTER } from '../api/routes.ts'
import { routePage } from '../app/paths.ts'
import { drafts } from '../model/drafts.ts'
import { withLf } from '../model/line-ends.ts'
import { idOfFile } from '../model/route-id.ts'
import { Failure } from '../ui/failure.tsx'
import { DeletedRoutes } from './deleted-routes.tsx'
import { NewRoute } from './new-route.tsx'
import { filterRows } from './route-rows.ts'
import { RoutesTable } from './routes-table.tsx'
import { useAllRoutes } from './use-all-routes.ts'

/** Bytes of a file to import: a larger route would not be read by the editor, nor by a gateway. */
const LARGEST_FILE = 4 * 1024 * 1024

/** The routes of the gateway, in the order in which they are tried. */
export function RoutesPage() {
  const [, go] = useLocation()
  const { routers, rows, isPending, error, retry } = useAllRoutes()
  const metrics = useMetrics()
  const [words, setWords] = useState('')
  const [failure, setFailure] = useState<Error | null>(null)
  const [dialog, setDialog] = useState<'new' | 'deleted' | null>(null)
  const chooser = useRef<HTMLInputElement>(null)
  const shown = filterRows(rows, useDeferredValue(words))
  const begin = (router: string, id: string, text: string) => {
    drafts.begin(router, id, { text, base: null, sourceRev: null })
    go(routePage(router, id))
  }
  const importFile = async (file: File) => {
    setFailure(null)
    try {
      if (file.size > LARGEST_FILE) throw new Error(`it has ${file.size} bytes, and a route ${LARGEST_FILE} at most`)
      begin(DEFAULT_ROUTER, idOfFile(file.name), withLf(await file.text()))
    } catch (error) {
      setFailure(new Error(`"${file.name}" is not imported: ${(error as Error).message}.`))
    }
  }
  return (
    <section className="page" aria-labelledby="routes-title">
      <div className="bar">
        <h1 id="routes-title">Routes</h1>
        <span className="count">
          {shown.length === rows.length ? rows.length : `${shown.length} of ${rows.length}`}
          {rows.length === 1 ? ' route' : ' routes'}
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
            // The same file can be chosen again.
            event.target.value = ''
          }}
        />
      </div>
      {failure !== null && <Failure error={failure} />}
      {error !== null && <Failure error={error} retry={retry} />}
      {isPending && error === null && <p className="page-note">Reading the routes…</p>}
      {!isPending && error === null && rows.length === 0 && (
        <p className="empty">There are no routes yet. "New route" starts one from a template; "Import" takes a file.</p>
      )}
      {rows.length > 0 && shown.length === 0 && <p className="empty">No route has these words.</p>}
      {shown.length > 0 && <RoutesTable rows={shown} total={rows.length} rates={metrics.latest?.routes ?? {}} />}
      {dialog === 'new' && <NewRoute routers={routers} rows={rows} onClose={() => setDialog(null)} onCreate={begin} />}
      {dialog === 'deleted' && <DeletedRoutes routers={routers} onClose={() => setDialog(null)} />}
    </section>
  )
}
