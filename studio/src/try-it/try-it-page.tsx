import { useState } from 'react'
import { call } from '../api/client.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Failure } from '../ui/failure.tsx'
import { curlRequest } from './curl-request.ts'

/** A request that is composed. */
export interface SampleRequest {
  readonly method: string
  readonly uri: string
  readonly headers: string
  readonly body: string
}

/** What `_action=explain` answers. */
interface Explanation {
  readonly refused: string | null
  readonly tried: readonly { id: string; condition: string | null; value: unknown; error?: string }[]
  readonly route: string | null
  readonly chain: readonly { name: string | null; type: string; depth: number }[]
}

const START: SampleRequest = { method: 'GET', uri: '/', headers: '', body: '' }

/** Asks what would happen to a request. */
export function TryItPage() {
  const [request, setRequest] = useState(START)
  const [answer, setAnswer] = useState<Explanation | null>(null)
  const [failure, setFailure] = useState<Error | null>(null)
  const [isImporting, setImporting] = useState(false)
  const set = (part: Partial<SampleRequest>) => setRequest({ ...request, ...part })
  const explain = async () => {
    setFailure(null)
    const { method, uri, headers } = request
    try {
      const body = { method, uri, headers: headerLists(headers) }
      setAnswer(await call<Explanation>('api/system/objects/_router/routes?_action=explain', { body }))
    } catch (error) {
      setAnswer(null)
      setFailure(error as Error)
    }
  }
  return (
    <section className="page" aria-labelledby="try-title">
      <div className="bar">
        <h1 id="try-title">Try it</h1>
        <button type="button" onClick={() => setImporting(true)}>
          Import curl
        </button>
      </div>
      <form
        className="request"
        onSubmit={(event) => {
          event.preventDefault()
          void explain()
        }}
      >
        <label>
          Method
          <input value={request.method} onChange={(event) => set({ method: event.target.value.toUpperCase() })} />
        </label>
        <label className="grow">
          URL
          <input value={request.uri} spellCheck={false} onChange={(event) => set({ uri: event.target.value })} />
        </label>
        <label className="full">
          Headers
          <textarea
            rows={3}
            placeholder={'Accept: application/json'}
            value={request.headers}
            spellCheck={false}
            onChange={(event) => set({ headers: event.target.value })}
          />
        </label>
        <label className="full">
          Body
          <textarea
            rows={3}
            value={request.body}
            spellCheck={false}
            onChange={(event) => set({ body: event.target.value })}
          />
        </label>
        <button type="submit" className="primary">
          Explain
        </button>
      </form>
      {failure !== null && <Failure error={failure} />}
      {answer !== null && <Answer answer={answer} />}
      {isImporting && (
        <ImportCurl
          onClose={() => setImporting(false)}
          onImport={(imported) => {
            setRequest(imported)
            setImporting(false)
          }}
        />
      )}
    </section>
  )
}

function Answer({ answer: { refused, tried, route, chain } }: { answer: Explanation }) {
  return (
    <section aria-label="Explanation">
      <p role="status">
        {refused ?? (route === null ? 'No route takes this request.' : `The route "${route}" takes it.`)}
      </p>
      <h2>Routes that were tried</h2>
      <ol>
        {tried.map(({ id, condition, value, error }) => (
          <li key={id} aria-current={id === route ? 'true' : undefined}>
            <strong>{id}</strong> <code>{condition ?? 'no condition'}</code> {error ?? `is ${JSON.stringify(value)}`}
          </li>
        ))}
      </ol>
      <h2>Objects on the way</h2>
      <ol>
        {chain.map(({ name, type }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same object may be on the way twice.
          <li key={index} aria-current="step">
            {name === null ? type : `${name} (${type})`}
          </li>
        ))}
      </ol>
    </section>
  )
}

function ImportCurl({ onImport, onClose }: { onImport: (request: SampleRequest) => void; onClose: () => void }) {
  const [line, setLine] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const take = () => {
    const imported = curlRequest(line)
    if (typeof imported === 'string') setProblem(imported)
    else onImport(imported)
  }
  return (
    <Dialog title="Import curl" onClose={onClose}>
      <label>
        curl
        <textarea rows={6} value={line} spellCheck={false} onChange={(event) => setLine(event.target.value)} />
      </label>
      {problem !== null && (
        <p role="alert" className="error">
          {problem}
        </p>
      )}
      <div className="actions">
        <button type="button" className="primary" onClick={take}>
          Import
        </button>
      </div>
    </Dialog>
  )
}

/** Lines `Name: value` as the lists that the API takes. */
function headerLists(text: string): Record<string, string[]> {
  const lists: Record<string, string[]> = {}
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':')
    if (colon <= 0) continue
    const name = line.slice(0, colon).trim()
    lists[name] = [...(lists[name] ?? []), line.slice(colon + 1).trim()]
  }
  return lists
}
