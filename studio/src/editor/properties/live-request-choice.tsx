import { useCallback, useState } from 'react'
import type { RequestEvent, SkippedRequests } from '../../api/live-requests.ts'
import { useEvents } from '../../api/stream.ts'

/** Requests that are offered; the newest come first. */
const KEPT = 20

/** Offers the requests that the gateway answers while it is open. */
export function LiveRequestChoice({ onChoose }: { onChoose: (request: RequestEvent) => void }) {
  const [isOpen, setOpen] = useState(false)
  if (!isOpen) {
    return (
      <button type="button" onClick={() => setOpen(true)}>
        Pick a live request
      </button>
    )
  }
  const choose = (request: RequestEvent) => {
    setOpen(false)
    onChoose(request)
  }
  return <LiveRequests onChoose={choose} />
}

function LiveRequests({ onChoose }: { onChoose: (request: RequestEvent) => void }) {
  const [requests, setRequests] = useState<readonly RequestEvent[]>([])
  const take = useCallback((event: RequestEvent | SkippedRequests) => {
    if ('path' in event) setRequests((before) => [event, ...before].slice(0, KEPT))
  }, [])
  const state = useEvents<RequestEvent | SkippedRequests>('api/monitor/requests?rate=5', take)
  return (
    <>
      <p role="status" className="hint">
        {state === 'open' ? 'Requests appear as they are answered.' : 'Connecting…'}
      </p>
      <ul aria-label="Live requests" className="live-requests">
        {requests.map((request) => (
          <li key={`${request.transactionId} ${request.timestamp}`}>
            <button type="button" className="quiet" onClick={() => onChoose(request)}>
              {request.method} {request.path} {request.status}
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
