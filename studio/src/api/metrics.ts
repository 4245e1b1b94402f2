import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { call } from './client.ts'
import { type StreamState, useEvents } from './stream.ts'

/** Rates and latencies, in all or of a route. */
export interface Rates {
  readonly requestsPerSecond: number
  readonly errorsPerSecond: number
  readonly active: number
  readonly requests?: number
  readonly statuses?: Readonly<Record<string, number>>
  readonly p50?: number | null
  readonly p95?: number | null
  readonly p99: number | null
}

/**
 * Failed responses per second: those with 5xx, of the gateway or of an application, or the exceptions where these are more, since a
 * truncated response is an exception with any status.
 */
export function failuresOf({ errorsPerSecond, statuses }: Rates): number {
  return Math.max(errorsPerSecond, statuses?.['serverError'] ?? 0)
}

/** The rates of a route; its name may also be that of a member which every object has, such as `constructor`. */
export function ratesOf(routes: Readonly<Record<string, Rates>>, name: string): Rates | undefined {
  return Object.hasOwn(routes, name) ? routes[name] : undefined
}

/** Values of one second; lists of objects are in every fifth event. */
export interface Sample {
  readonly timestamp: string
  readonly totals: Rates
  readonly routes: Readonly<Record<string, Rates>>
  readonly removedRoutes?: readonly string[]
  readonly units?: Readonly<Record<string, number | null>>
  readonly memory?: Readonly<Record<string, unknown>>
  readonly process?: Readonly<Record<string, unknown>>
  readonly eventLoop?: readonly Readonly<Record<string, unknown>>[]
  readonly [family: string]: unknown
}

/** Lists of objects that the gateway reports, in the order of the page. */
export const FAMILIES = [
  'eventLoop',
  'pools',
  'circuitBreakers',
  'throttling',
  'caches',
  'notifications',
  'agents',
  'redis',
  'certificates',
  'secrets',
  'audit',
] as const

/** Samples that are shown: an hour of those of the history, and of the seconds since the page was opened. */
const KEPT = 3_600

/** The samples of the last hour, and the newest values of every family and route. */
export interface LiveMetrics {
  readonly state: StreamState
  readonly samples: readonly Sample[]
  readonly latest: Sample | null
}

/** Reads live metrics while a component is shown; events have what has changed. */
export function useMetrics(): LiveMetrics {
  const history = useQuery({
    queryKey: ['monitor', 'history'],
    queryFn: () => call<{ samples: Sample[] }>('api/monitor/history'),
    staleTime: Infinity,
    gcTime: 0,
  })
  const [live, setLive] = useState<readonly Sample[]>([])
  const [latest, setLatest] = useState<Sample | null>(null)
  const take = useCallback((sample: Sample) => {
    setLive((before) => [...before, sample].slice(-KEPT))
    setLatest((before) => {
      const routes = { ...before?.routes, ...sample.routes }
      for (const id of sample.removedRoutes ?? []) delete routes[id]
      return { ...before, ...sample, routes }
    })
  }, [])
  const state = useEvents<Sample>('api/monitor/metrics', take)
  const first = live[0]?.timestamp ?? ''
  const earlier = (history.data?.samples ?? []).filter(({ timestamp }) => first === '' || timestamp < first)
  return { state, samples: [...earlier, ...live], latest }
}
