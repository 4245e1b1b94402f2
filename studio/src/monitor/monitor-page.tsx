import { FAMILIES, type Rates, useMetrics } from '../api/metrics.ts'
import { Chart } from './chart.tsx'
import { FamilyTable } from './family-table.tsx'

/** Rates, latencies, and the state of units and of everything that the gateway is connected to. */
export function MonitorPage() {
  const { state, samples, latest } = useMetrics()
  const times = samples.map(({ timestamp }) => Date.parse(timestamp) / 1000)
  const totals = latest?.totals
  return (
    <section className="page" aria-labelledby="monitor-title" tabIndex={0}>
      <div className="bar">
        <h1 id="monitor-title">Monitor</h1>
        <span className="count" role="status">
          {state === 'lost' ? 'Connection lost; trying again.' : latest === null ? 'Connecting.' : 'The last hour.'}
        </span>
      </div>
      {latest !== null && totals !== undefined && (
        <>
          <div className="tiles charts">
            <Chart
              title="Requests per second"
              now={totals.requestsPerSecond.toFixed(1)}
              times={times}
              values={samples.map((sample) => sample.totals.requestsPerSecond)}
            />
            <Chart
              title="99th percentile (ms)"
              now={totals.p99 === null ? 'no requests' : totals.p99.toFixed(1)}
              times={times}
              values={samples.map((sample) => sample.totals.p99)}
            />
            <Chart
              title="Active requests"
              now={String(totals.active)}
              times={times}
              values={samples.map((sample) => sample.totals.active)}
            />
          </div>
          <div className="tiles">
            <Values title="Responses per second" values={statusesOf(totals)} />
            <Values title="Units" values={latest.units ?? {}} />
            <Values title="Memory" values={megabytes(latest.memory ?? {})} />
          </div>
          <BusiestRoutes routes={latest.routes} />
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
                : String(value)}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const SHOWN_ROUTES = 20

function BusiestRoutes({ routes }: { routes: Readonly<Record<string, Rates>> }) {
  const busiest = Object.entries(routes)
    .sort(([, a], [, b]) => b.requestsPerSecond - a.requestsPerSecond)
    .slice(0, SHOWN_ROUTES)
    .map(([route, { requestsPerSecond, errorsPerSecond, active, p50, p99 }]) => ({
      route,
      'requests per second': requestsPerSecond,
      'errors per second': errorsPerSecond,
      active,
      'p50 (ms)': p50 ?? '',
      'p99 (ms)': p99 ?? '',
    }))
  return <FamilyTable family="Busiest routes" rows={busiest} />
}
