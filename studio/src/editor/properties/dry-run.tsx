import { useId, useState } from 'react'
import type { Evaluation, SampleRequest } from '../../api/try-it.ts'
import { evaluateIn } from '../expressions/expression-route.ts'
import { useFormRoute } from './form-route.ts'
import { LiveRequestChoice } from './live-request-choice.tsx'

/** Evaluates an expression at the gateway for a sample request, typed in or one of the live traffic. */
export function DryRun({ expression }: { expression: string }) {
  const route = useFormRoute()
  const { sample: request, setSample } = route
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const [outcome, setOutcome] = useState<Evaluation | null>(null)
  const run = () =>
    evaluateIn(route, expression)
      .catch((error: Error): Evaluation => ({ error: { message: error.message } }))
      .then(setOutcome)
  if (!isOpen) {
    return (
      <button type="button" onClick={() => setOpen(true)}>
        Dry run
      </button>
    )
  }
  const set = (part: Partial<SampleRequest>) => setSample({ ...request, ...part })
  return (
    <fieldset className="dry-run">
      <legend>Dry run</legend>
      <LiveRequestChoice onChoose={({ method, path }) => set({ method, uri: path })} />
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
