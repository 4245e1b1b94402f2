import { useCallback, useState } from 'react'
import { useEvents } from '../api/stream.ts'
import { RateChart } from './rate-chart.tsx'

/** What the gateway measures, once a second; fields that a gateway does not send are left out of the page. */
export interface MetricsEvent {
  readonly timestamp: string
  readonly [group: string]: unknown
}

const KEPT = 3_600

/** Rates, latencies and the state of units and peers. */
export function MonitorPage() {
  const [events, setEvents] = useState<readonly MetricsEvent[]>([])
  const take = useCallback((event: MetricsEvent) => setEvents((before) => [...before, event].slice(-KEPT)), [])
  const state = useEvents<MetricsEvent>('api/monitor/metrics', take)
  const last = events.at(-1)
  return (
    <section className="page" aria-labelledby="monitor-title" tabIndex={0}>
      <div className="bar">
        <h1 id="monitor-title">Monitor</h1>
        <span className="count" role="status">
          {state === 'lost' ? 'Connection lost; trying again.' : last === undefined ? 'Connecting.' : ''}
        </span>
      </div>
      {last !== undefined && <RateChart events={events} />}
      {last !== undefined && (
        <div className="tiles">
          {Object.entries(last)
            .filter(([, value]) => typeof value === 'object' && value !== null)
            .map(([group, value]) => (
              <section key={group} aria-label={group} className="tile">
                <h2>{group}</h2>
                <Values value={value} />
              </section>
            ))}
        </div>
      )}
    </section>
  )
}

/** Names and values of a group, as the API gives them. */
function Values({ value }: { value: unknown }) {
  const entries = Object.entries(value as Record<string, unknown>).slice(0, 50)
  return (
    <dl>
      {entries.map(([name, one]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof one === 'object' && one !== null ? <Values value={one} /> : formatted(one)}</dd>
        </div>
      ))}
    </dl>
  )
}

function formatted(value: unknown): string {
  return typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(2) : String(value)
}
