import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'
import { DEFAULT_ROUTER } from '../api/routes.ts'
import { type Explanation, explain, FIRST_SAMPLE, type SampleRequest, send, type Trace } from '../api/try-it.ts'
import { Failure } from '../ui/failure.tsx'
import { ExplanationView } from './explanation-view.tsx'
import { ImportCurl } from './import-curl.tsx'
import { TraceView } from './trace-view.tsx'

/** The request is kept beside what was read: until the log-out, also while the log-in is asked for again. */
const COMPOSED = ['composed request']

/** Asks what would happen to a request, or sends it through the gateway. A link may name the method and URL. */
export function TryItPage() {
  const [search] = useSearchParams()
  const queries = useQueryClient()
  const [request, setRequest] = useState<SampleRequest>(() => {
    const [method, uri] = [search.get('method'), search.get('uri')]
    if (method === null && uri === null) return queries.getQueryData<SampleRequest>(COMPOSED) ?? FIRST_SAMPLE
    return { ...FIRST_SAMPLE, method: method ?? FIRST_SAMPLE.method, uri: uri ?? FIRST_SAMPLE.uri }
  })
  useEffect(() => {
    queries.setQueryDefaults(COMPOSED, { gcTime: Infinity })
    queries.setQueryData(COMPOSED, request)
  }, [queries, request])
  const [answer, setAnswer] = useState<{ explanation: Explanation } | { trace: Trace } | null>(null)
  const [failure, setFailure] = useState<Error | null>(null)
  const [isWaiting, setWaiting] = useState(false)
  const [isImporting, setImporting] = useState(false)
  const set = (part: Partial<SampleRequest>) => setRequest({ ...request, ...part })
  const ask = async (question: () => Promise<{ explanation: Explanation } | { trace: Trace }>) => {
    setFailure(null)
    setWaiting(true)
    try {
      setAnswer(await question())
    } catch (error) {
      setAnswer(null)
      setFailure(error as Error)
    } finally {
      setWaiting(false)
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
      <form className="request" onSubmit={(event) => event.preventDefault()}>
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
            placeholder="Accept: application/json"
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
        <button
          type="submit"
          disabled={isWaiting}
          onClick={() => void ask(async () => ({ explanation: await explain(DEFAULT_ROUTER, request) }))}
        >
          Explain
        </button>
        <button
          type="button"
          className="primary"
          disabled={isWaiting}
          onClick={() => void ask(async () => ({ trace: await send(request) }))}
        >
          Send
        </button>
      </form>
      {failure !== null && <Failure error={failure} />}
      {answer !== null && 'explanation' in answer && <ExplanationView explanation={answer.explanation} />}
      {answer !== null && 'trace' in answer && <TraceView trace={answer.trace} />}
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
