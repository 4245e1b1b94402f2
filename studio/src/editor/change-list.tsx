import { useQuery } from '@tanstack/react-query'
import { type ConfigEvent, configEvents } from '../api/audit.ts'
import { Failure } from '../ui/failure.tsx'

/** Who changed the route, when, how and which fields, from the audit trail: also beyond the versions that are kept. */
export function ChangeList({ router, id }: { router: string; id: string }) {
  const events = useQuery({ queryKey: ['changes', router, id], queryFn: () => configEvents(router, id) })
  if (events.isError) return <Failure error={events.error} retry={() => void events.refetch()} />
  if (events.isPending) return <p role="status">Reading the audit trail…</p>
  if (events.data.length === 0) return <p className="empty">The audit trail has no change of this route.</p>
  return (
    <div className="scroller" tabIndex={0} role="group" aria-label="Changes of the audit trail">
      <table aria-label="Changes">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Who</th>
            <th scope="col">How</th>
            <th scope="col">Fields</th>
            <th scope="col">Outcome</th>
          </tr>
        </thead>
        <tbody>
          {events.data.map((event) => (
            <tr key={event._id}>
              <td>{new Date(event.timestamp).toLocaleString()}</td>
              <td>{whoOf(event)}</td>
              <td>{howOf(event)}</td>
              <td>
                {(event.changedFields ?? []).map((pointer) => (
                  <code key={pointer} className="pointer">
                    {pointer}
                  </code>
                ))}
              </td>
              <td>{outcomeOf(event)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function whoOf({ userId, authentication, client }: ConfigEvent): string {
  if (authentication === 'file') return 'file changed'
  const address = client?.ip === undefined ? '' : ` from ${client.ip}`
  return `${userId ?? authentication ?? 'unknown'}${address}`
}

function howOf({ operation, request, authentication }: ConfigEvent): string {
  const action = request?.detail?.action ?? operation.toLowerCase()
  return authentication === undefined || authentication === 'file' ? action : `${action}, ${authentication}`
}

function outcomeOf({ response, revision }: ConfigEvent): string {
  if (response?.status === 'FAILED') return `rejected with ${response.statusCode ?? 'an error'}`
  return revision === undefined ? 'done' : `revision ${revision.slice(0, 8)}`
}
