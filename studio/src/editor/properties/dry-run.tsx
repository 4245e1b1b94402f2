import { useId, useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { type Evaluation, evaluate, type SampleRequest } from '../../api/try-it.ts'
import { useFormRoute } from './form-route.ts'

export function isExpression(value: unknown): value is string {
  return typeof value === 'string' && value.includes('${')
}

const FIRST: SampleRequest = { method: 'GET', uri: '/', headers: '', body: '' }

/** Evaluates an expression at the gateway for a sample request. */
export function DryRun({ expression }: { expression: string }) {
  const { router, deployedId } = useFormRoute()
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const [request, setRequest] = useState(FIRST)
  const [outcome, setOutcome] = useState<Evaluation | null>(null)
  const run = () =>
    evaluate(router, deployedId, expression, request)
      .catch((error: Error) => {
        // A route that is stored but does not load is not served: the properties are those of the router.
        if (error instanceof ApiError && error.status === 404) return evaluate(router, null, expression, request)
        throw error
      })
      .catch((error: Error): Evaluation => ({ error: { message: error.message } }))
      .then(setOutcome)
  if (!isOpen) {
    return (
      <button type="button" onClick={() => setOpen(true)}>
        Dry run
      </button>
    )
  }
  const set = (part: Partial<SampleRequest>) => setRequest({ ...request, ...part })
  return (
    <fieldset className="dry-run">
      <legend>Dry run</legend>
      <label htmlFor={`${id}-method`}>Method</label>
      <input id={`${id}-method`} value={request.method} onChange={(event) => set({ method: event.target.value })} />
      <label htmlFor={`${id}-url`}>URL</label>
      <input id={`${id}-url`} value={request.uri} onChange={(event) => set({ uri: event.target.value })} />
      <label htmlFor={`${id}-headers`}>Headers</label>
      <textarea
        id={`${id}-headers`}
        rows={2}
        placeholder="Name: value"
        value={request.headers}
        onChange={(event) => set({ headers: event.target.value })}
      />
      <div className="actions">
        <button type="button" onClick={() => void run()}>
          Evaluate
        </button>
        <button type="button" onClick={() => setOpen(false)}>
          Close
        </button>
      </div>
      <output>{outcome !== null && <Outcome {...outcome} />}</output>
    </fieldset>
  )
}

function Outcome({ value, type, truncated = false, error }: Evaluation) {
  if (error !== undefined) {
    return (
      <span className="error">
        {error.column !== undefined && `Column ${error.column}: `}
        {error.message}
      </span>
    )
  }
  return (
    <>
      <code>{JSON.stringify(value)}</code> {type}
      {truncated && ', truncated'}
    </>
  )
}
