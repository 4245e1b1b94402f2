import type { Trace, TraceStep } from '../api/try-it.ts'
import { RoutePicture } from './route-picture.tsx'

/** The response of a request that was sent, its way with the time in each object, and their changes. */
export function TraceView({ trace: { response, route, transactionId, elapsed, steps } }: { trace: Trace }) {
  const marks = steps.map(({ object, own }) => ({ object, text: timeOf(own) }))
  return (
    <section aria-label="Answer">
      <p role="status">
        <strong>
          {response.status} {response.reason}
        </strong>
        {elapsed !== null && ` in ${timeOf(elapsed)}`}
        {route === null ? ', no route' : `, route "${route}"`}
        {transactionId !== null && <span className="muted"> {transactionId}</span>}
      </p>
      {route !== null && <RoutePicture id={route} marks={marks} />}
      <h2>Way</h2>
      <ol className="steps">
        {steps.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same object may be on the way twice.
          <li key={index} aria-current="step">
            <Step step={step} />
          </li>
        ))}
      </ol>
      <h2>Headers</h2>
      <pre>
        {Object.entries(response.headers)
          .flatMap(([name, values]) => values.map((value) => `${name}: ${value}`))
          .join('\n')}
      </pre>
      <h2>Body</h2>
      <pre>{response.entity}</pre>
      {response.truncated && <p className="hint">The body is longer than what is shown.</p>}
    </section>
  )
}

function Step({ step: { object, own, status, error, request, response } }: { step: TraceStep }) {
  const changes = { ...(request === null ? {} : { request }), ...(response === null ? {} : { response }) }
  return (
    <>
      <code>{object.split('+').at(-1)}</code> {timeOf(own)} {status !== null && `status ${status}`}
      {error !== null && <span className="error">{error}</span>}
      {Object.keys(changes).length > 0 && (
        <details>
          <summary>Changes</summary>
          <pre>{JSON.stringify(changes, null, 2)}</pre>
        </details>
      )}
    </>
  )
}

function timeOf(milliseconds: number | null): string {
  return milliseconds === null ? '' : `${milliseconds.toFixed(milliseconds < 10 ? 2 : 0)} ms`
}
