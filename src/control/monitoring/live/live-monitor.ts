import type { ConnectorSettings, MetricSample } from '#contracts'
import type { ApiSecurity } from '#crest'
import { systemClock } from '#schema'
import type { UnitLink } from '../../units/unit-link.ts'
import { LiveRequests } from './live-requests.ts'
import { MetricsFeed } from './metrics-feed.ts'
import { type MonitorApi, monitorApi } from './monitor-api.ts'
import { RequestTraces } from './request-traces.ts'

/** Parts of the gateway that the live monitor shows. */
interface MonitoredParts {
  readonly connectors: readonly ConnectorSettings[]
  readonly security: ApiSecurity | null
  readonly recordsHistory: boolean
  ports(): readonly number[]
  /** All that have requests. */
  units(): readonly UnitLink[]
  collect(): Promise<readonly MetricSample[]>
}

/** Metrics, requests and traces as they occur, for the Studio and `gateway top`. */
export class LiveMonitor implements Disposable {
  readonly requests: LiveRequests
  readonly traces: RequestTraces
  readonly api: MonitorApi
  readonly #feed: MetricsFeed

  constructor({ connectors, security, recordsHistory, ports, units, collect }: MonitoredParts) {
    this.#feed = new MetricsFeed({ collect, clock: systemClock, recordsHistory })
    this.requests = new LiveRequests(units)
    this.traces = new RequestTraces({ connectors, ports, units })
    this.api = monitorApi({ feed: this.#feed, requests: this.requests, traces: this.traces, security })
  }

  [Symbol.dispose](): void {
    this.#feed[Symbol.dispose]()
    this.api.streams.endAll()
  }
}
