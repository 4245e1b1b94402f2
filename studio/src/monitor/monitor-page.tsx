import { useState } from 'react'
import { FAMILIES, type Rates, type Sample, useMetrics } from '../api/metrics.ts'
import { Chart } from './chart.tsx'
import { FamilyTable } from './family-table.tsx'

/** Rates, latencies, and the state of units and of everything that the gateway is connected to. */
export function MonitorPage() {
  const { state, samples, latest } = useMetrics()
  const times = samples.map(({ timestamp }) => Date.parse(timestamp) / 1000)
  const [route, setRoute] = useState('')
  const ratesIn = (sample: Sample) => (route === '' ? sample.totals : sample.routes[route])
  // A route that is gone leaves the totals of all.
  const totals = latest === null ? undefined : (ratesIn(latest) ?? latest.totals)
  const offered = new Set(busiestOf(latest?.routes ?? {}).map(([id]) => id))
  if (route !== '') offered.add(route)
  return (
    <section className="page" aria-labelledby="monitor-title" tabIndex={0}>
      <div className="bar">
        <h1 id="monitor-title">Monitor</h1>
        <span className="count" role="status">
          {state === 'lost' ? 'Connection lost; trying again.' : latest === null ? 'Connecting.' : 'The last hour.'}
        </span>
        <label>
          Route{' '}
          <select value={route} onChange={(event) => setRoute(event.target.value)}>
            <option value="">all routes</option>
            {[...offered].map((id) => (
              <option key={id}>{id}</option>
            ))}
          </select>
        </label>
      </div>
      {latest !== null && totals !== undefined && (
        <>
          <div className="tiles charts">
            <Chart
              title="Requests per second"
              now={totals.requestsPerSecond.toFixed(1)}
              times={times}
              values={samples.map((sample) => ratesIn(sample)?.requestsPerSecond ?? 0)}
            />
            <Chart
              title="99th percentile (ms)"
              now={totals.p99 === null ? 'no requests' : totals.p99.toFixed(1)}
              times={times}
              values={samples.map((sample) => ratesIn(sample)?.p99 ?? null)}
            />
            <Chart
              title="Active requests"
              now={String(totals.active)}
              times={times}
              values={samples.map((sample) => ratesIn(sample)?.active ?? 0)}
            />
          </div>
          <div className="tiles">
            <Values title="Responses per second" values={statusesOf(totals)} />
            <Values title="Latency (ms)" values={{ p50: totals.p50, p95: totals.p95, p99: totals.p99 }} />
            <Values title="Units" values={latest.units ?? {}} />
            <Values title="Memory" values={megabytes(latest.memory ?? {})} />
            <Values title="Process" values={latest.process ?? {}} />
          </div>
          <BusiestRoutes routes={latest.routes} />
          <FamilyTable
            family="memoryOfThreads"
            rows={(latest.memory?.['threads'] as object[] | undefined)?.map(megabytesOf)}
          />
          {FAMILIES.map((family) => (
            <FamilyTable key={family} family={family} rows={latest[family]} />
          ))}
        </>
      )}
    </section>
  )
}

function statusesOf({ statuses = {}, errorsPerSecond }: Rates): Record<string, unknown> {
  return { ...statuses, errors: errorsPerSecond }
}

function megabytes(memory: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(memory).flatMap(([name, value]) =>
      typeof value === 'number' ? [[name.replace(/Bytes$/, ' (MB)'), value / 1e6]] : [],
    ),
  )
}

function megabytesOf(thread: object): Record<string, unknown> {
  return { thread: (thread as { thread?: string }).thread, ...megabytes(thread as Record<string, unknown>) }
}

function Values({ title, values }: { title: string; values: Readonly<Record<string, unknown>> }) {
  return (
    <section aria-label={title} className="tile">
      <h2>{title}</h2>
      <dl>
        {Object.entries(values).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {typeof value === 'number'
                ? value.toLocaleString(undefined, { maximumFractionDigits: 1 })
                : String(value ?? 'none')}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const SHOWN_ROUTES = 20

function busiestOf(routes: Readonly<Record<string, Rates>>): readonly [string, Rates][] {
  return Object.entries(routes)
    .sort(([, a], [, b]) => b.requestsPerSecond - a.requestsPerSecond || (b.requests ?? 0) - (a.requests ?? 0))
    .slice(0, SHOWN_ROUTES)
}

function BusiestRoutes({ routes }: { routes: Readonly<Record<string, Rates>> }) {
  const busiest = busiestOf(routes).map(([route, { requestsPerSecond, errorsPerSecond, active, p50, p99 }]) => ({
    route,
    'requests per second': requestsPerSecond,
    'errors per second': errorsPerSecond,
    active,
    'p50 (ms)': p50 ?? '',
    'p99 (ms)': p99 ?? '',
  }))
  return <FamilyTable family="Busiest routes" rows={busiest} />
}
