import type { Problem } from '../api/client.ts'
import { lineOfProblem } from '../model/route-document.ts'

/** Problems of the text; a click shows the place. */
export function ProblemList({
  text,
  problems: { list, failure },
  onSelect,
}: {
  text: string
  problems: { readonly list: readonly Problem[] | null; readonly failure: Error | null }
  onSelect: (pointer: string) => void
}) {
  if (failure !== null) return <p role="status">Not validated: {failure.message}</p>
  if (list === null) return <p role="status">Validating…</p>
  if (list.length === 0) return <p role="status">No problems.</p>
  return (
    <ul aria-label="Problems" className="problems">
      {list.map((problem) => (
        <li key={`${problem.pointer} ${problem.message}`}>
          <button type="button" className="quiet" onClick={() => onSelect(problem.pointer)}>
            line {lineOfProblem(text, problem)}
          </button>{' '}
          {problem.message}
        </li>
      ))}
    </ul>
  )
}
