import type { Metrics } from '#schema'
import type { Fleet } from './fleet.ts'

/** Exposes the state of the store and of the served release. */
export function exposeFleet(
  metrics: Metrics,
  fleet: Pick<Fleet, 'isConnected' | 'versions' | 'copy' | 'instanceCount'>,
): void {
  metrics.reading('gw_store_connected', 'Whether the configuration store can be read: 1 or 0.', {
    read: () => Number(fleet.isConnected),
  })
  metrics.reading('gw_release_served', 'Number of the release that is served; 0 for none.', {
    read: () => fleet.versions.served ?? 0,
  })
  metrics.reading(
    'gw_release_wanted',
    'Number of the release that should be served; 0 for none, or while that is undecided.',
    {
      read: () => fleet.versions.wanted ?? 0,
    },
  )
  metrics.reading(
    'gw_release_age_seconds',
    'Time since this instance took the release that is in its local copy; clocks of other machines are not part of it.',
    { read: () => fleet.copy.age / 1000 },
  )
  metrics.reading('gw_instances', 'Living gateways that use the same store, as of some seconds before.', {
    read: () => fleet.instanceCount,
  })
}
