import { Link } from 'wouter'
import { DEFAULT_ROUTER } from '../api/routes.ts'
import { idProblem } from '../model/route-id.ts'
import { BLANK, textOfTemplate } from '../routes/templates.ts'

/** The page of a route that neither the gateway nor this browser has. */
export function NoSuchRoute({
  router,
  id,
  onCreate,
}: {
  router: string
  id: string
  onCreate: (text: string) => void
}) {
  return (
    <section className="page" aria-labelledby="route-title">
      <div className="bar">
        <Link href="/routes" className="muted">
          Routes
        </Link>
        <h1 id="route-title">{id}</h1>
      </div>
      <p role="status" className="empty">
        There is no such route{router === DEFAULT_ROUTER ? '' : ` in the router ${router}`}. It may have been renamed or
        deleted; "Deleted routes" of the list can bring it back.
      </p>
      <div className="bar">
        <Link href="/routes">Back to the routes</Link>
        {idProblem(id, []) === null && (
          <button type="button" onClick={() => onCreate(textOfTemplate(BLANK, id))}>
            Create it
          </button>
        )}
      </div>
    </section>
  )
}
