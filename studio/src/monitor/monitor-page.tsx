import { useState } from 'react'
import { FAMILIES, failuresOf, type Rates, ratesOf, type Sample, useMetrics } from '../api/metrics.ts'
import { Chart, type ChartSeries } from './chart.tsx'
import { FamilyTable } from './family-table.tsx'
import { fieldLabel, measureOf } from './measures.ts'

/** Rates, latencies, and the state of units and of everything that the gateway is connected to. */
export function MonitorPage() {
  const { state, samples, latest } = useMetrics()
  const times = samples.map(({ timestamp }) => Date.parse(timestamp) / 1000)
  const [route, setRoute] = useState('')
  const ratesIn = (sample: Sample) => (route === '' ? sample.totals : ratesOf(sample.routes, route))
  // A route that is gone leaves the totals of all.
  const totals = latest === null ? undefined : (ratesIn(latest) ?? latest.totals)
  const seriesOf = (
    label: string,
    tone: ChartSeries['tone'],
    read: (rates: Rates) => number | null,
    missing: number | null = null,
  ): ChartSeries => ({
    label,
    tone,
    values: samples.map((sample) => {
      const rates = ratesIn(sample)
      return rates === undefined ? missing : read(rates)
    }),
    now: totals === undefined ? null : read(totals),
  })
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
              times={times}
              series={[seriesOf('requests', 'blue', ({ requestsPerSecond }) => requestsPerSecond, 0)]}
            />
            <Chart
              title="Responses per second"
              times={times}
              series={STATUSES.map(({ family, label, tone }) =>
                seriesOf(label, tone, ({ statuses }) => statuses?.[family] ?? 0, 0),
              )}
            />
            <Chart
              title="Latency (ms)"
              times={times}
              series={[
                seriesOf('p50', 'blue', ({ p50 }) => p50 ?? null),
                seriesOf('p95', 'violet', ({ p95 }) => p95 ?? null),
                seriesOf('p99', 'amber', ({ p99 }) => p99),
              ]}
            />
            <Chart
              title="Active requests"
              times={times}
              series={[seriesOf('active', 'blue', ({ active }) => active, 0)]}
            />
          </div>
          <div className="tiles">
            <Values title="Units" values={latest.units ?? {}} />
            <Values title="Process" values={{ residentBytes: latest.memory?.['residentBytes'], ...latest.process }} />
          </div>
          <BusiestRoutes routes={latest.routes} />
          <FamilyTable family="memoryOfThreads" rows={latest.memory?.['threads']} />
          {FAMILIES.map((family) => (
            <FamilyTable key={family} family={family} rows={latest[family]} />
          ))}
        </>
      )}
    </section>
  )
}

/** Status families in the order of the legend. */
const STATUSES = [
  { family: 'successful', label: '2xx', tone: 'green' },
  { family: 'redirection', label: '3xx', tone: 'blue' },
  { family: 'clientError', label: '4xx', tone: 'amber' },
  { family: 'serverError', label: '5xx', tone: 'red' },
] as const

function Values({ title, values }: { title: string; values: Readonly<Record<string, unknown>> }) {
  return (
    <section aria-label={title} className="tile">
      <h2>{title}</h2>
      <dl className="values">
        {Object.entries(values).map(([name, value]) => (
          <div key={name}>
            <dt>{fieldLabel(name)}</dt>
            <dd>{measureOf(name, value).text || 'none'}</dd>
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
  const busiest = busiestOf(routes).map(([route, rates]) => ({
    route,
    'requests per second': rates.requestsPerSecond,
    'errors per second': failuresOf(rates),
    active: rates.active,
    'p50 (ms)': rates.p50 ?? null,
    'p99 (ms)': rates.p99 ?? null,
  }))
  return <FamilyTable family="busiestRoutes" rows={busiest} />
}
