import type { Trace } from '../api/try-it.ts'
import { TraceWay, timeOf } from './trace-way.tsx'

/** The response of a request that was sent, its way with the time in each object, and their changes. */
export function TraceView({ trace: { response, route, transactionId, elapsed, steps } }: { trace: Trace }) {
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
      <TraceWay route={route} steps={steps} />
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
