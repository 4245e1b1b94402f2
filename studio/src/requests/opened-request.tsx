import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { liveTrace, type RequestEvent } from '../api/live-requests.ts'
import { DEFAULT_ROUTER } from '../api/routes.ts'
import { explain } from '../api/try-it.ts'
import { ExplanationView } from '../try-it/explanation-view.tsx'
import { TraceWay } from '../try-it/trace-way.tsx'
import { Failure } from '../ui/failure.tsx'

/** The way of a request of the tail: its trace, otherwise that of such a request through the routes of now. */
export function OpenedRequest({ request: { method, path, trace } }: { request: RequestEvent }) {
  return trace === null ? (
    <RouteExplanation method={method} path={path} />
  ) : (
    <RequestTrace id={trace} method={method} path={path} />
  )
}

function RequestTrace({ id, method, path }: { id: string; method: string; path: string }) {
  const trace = useQuery({
    queryKey: ['trace', id],
    queryFn: () => liveTrace(id),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (trace.isError) {
    return (
      <>
        <Failure error={trace.error} />
        <RouteExplanation method={method} path={path} />
      </>
    )
  }
  if (trace.data === undefined) return null
  const { status, elapsed, route, steps } = trace.data
  return (
    <section aria-label="Trace">
      <p role="status">
        <strong>{status ?? 'aborted'}</strong> in {elapsed} ms{route === null ? ', no route' : `, route "${route}"`}
      </p>
      <TraceWay route={route} steps={steps} />
      <TryIt method={method} path={path} text="Try it again" />
    </section>
  )
}

function RouteExplanation({ method, path }: { method: string; path: string }) {
  const question = useQuery({
    queryKey: ['explain', method, path],
    queryFn: () => explain(DEFAULT_ROUTER, { method, uri: path, headers: '', body: '' }),
    gcTime: 0,
  })
  if (question.isError) return <Failure error={question.error} retry={() => void question.refetch()} />
  if (question.data === undefined) return null
  return (
    <>
      <ExplanationView explanation={question.data} />
      <TryIt method={method} path={path} text="Try it again with a trace" />
    </>
  )
}

function TryIt({ method, path, text }: { method: string; path: string; text: string }) {
  return <Link href={`/try-it?${new URLSearchParams({ method, uri: path })}`}>{text}</Link>
}
