import type { Explanation } from '../api/try-it.ts'
import { RoutePicture } from './route-picture.tsx'

/** Which routes were tried for a request and why not, and the way through the chosen one. */
export function ExplanationView({ explanation: { refused, tried, route, chain } }: { explanation: Explanation }) {
  const marks = chain.map(({ qualifiedName }) => ({ object: qualifiedName, text: 'on the way' }))
  return (
    <section aria-label="Explanation">
      <p role="status">
        {refused !== null &&
          `The gateway would refuse it: ${refused.message ?? refused.reason ?? JSON.stringify(refused)}`}
        {refused === null && (route === null ? 'No route takes this request.' : `The route "${route}" takes it.`)}
      </p>
      <h2>Routes that were tried</h2>
      <ol>
        {tried.map(({ router, id, condition, value, error }) => (
          <li key={`${router} ${id}`} aria-current={id === route ? 'true' : undefined}>
            <strong>{id}</strong> <code>{condition ?? 'no condition'}</code> {error ?? `is ${JSON.stringify(value)}`}
          </li>
        ))}
      </ol>
      {route !== null && <RoutePicture id={route} marks={marks} />}
    </section>
  )
}
