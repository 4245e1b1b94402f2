import type { TraceStep } from '../api/try-it.ts'
import { RoutePicture } from './route-picture.tsx'

/** The way of a traced request: the time in each object, on the canvas of its route and in order, and their changes. */
export function TraceWay({ route, steps }: { route: string | null; steps: readonly TraceStep[] }) {
  const marks = steps.map(({ object, own }) => ({ object, text: timeOf(own) }))
  return (
    <>
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
    </>
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

/** Milliseconds as text. */
export function timeOf(milliseconds: number | null): string {
  return milliseconds === null ? '' : `${milliseconds.toFixed(milliseconds < 10 ? 2 : 0)} ms`
}
