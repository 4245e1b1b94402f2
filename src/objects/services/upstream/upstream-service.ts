import { UpstreamKind } from '#contracts'
import { atLeastOneOf, config, defineType, duration, integer, needs, oneOf, runtime } from '#schema'
import { POLICIES } from '#upstreams'
import { openUpstream } from '../../lib/upstreams/balanced-upstream.ts'
import { checkDiscovery, DISCOVERY_FIELD, discoveryPlanOf } from '../../lib/upstreams/discovery-fields.ts'
import { checkHealth, HEALTH_CHECK_FIELD, healthPlanOf } from '../../lib/upstreams/health-fields.ts'
import { OUTLIER_FIELD } from '../../lib/upstreams/outlier-fields.ts'
import { checkServers, SERVERS_FIELD } from '../../lib/upstreams/server-fields.ts'
import { checkStatuses, statusRanges } from '../../lib/upstreams/status-ranges.ts'
import { STICKY_FIELD } from '../../lib/upstreams/sticky.ts'
import { EVENTS } from '../log-events.ts'

/** The servers of an application, and how one is chosen for a request. */
export const UpstreamService = defineType({
  name: 'UpstreamService',
  kind: UpstreamKind,
  summary: 'Spreads requests over several servers of an application.',
  metrics: ['gw_upstream_ejections_total', 'gw_upstream_panic', 'gw_upstream_servers', 'gw_upstream_servers_healthy'],
  events: [EVENTS.SERVER_EJECTED],
  config: {
    servers: SERVERS_FIELD.optional().meta({
      description: 'The servers; requests are spread over those of the lowest priority.',
    }),
    discovery: DISCOVERY_FIELD,
    policy: config(oneOf(POLICIES)).default('roundRobin').meta({
      description:
        'roundRobin: in turn. leastRequest: the one of two with fewer requests in flight. random: any. hash: the same one for equal values of hashOn. All by weight.',
    }),
    hashOn: runtime('string').optional().meta({
      description:
        'Value that selects the server with the policy hash, such as `${contexts.client.remoteAddress}`. Requests without a value go to any server.',
    }),
    sticky: STICKY_FIELD,
    healthCheck: HEALTH_CHECK_FIELD,
    outlierDetection: OUTLIER_FIELD,
    slowStart: config(duration({ unlimited: false }))
      .default('zero')
      .meta({ description: 'Time in which the weight of a server grows that joins or is usable again.' }),
    panicThreshold: config(integer({ min: 0, max: 100 }))
      .default(50)
      .meta({
        description:
          'Percent of servers of a priority that must be healthy, where it has more than two: below it requests are sent to unhealthy ones too. 0: never, they get 503.',
      }),
  },
  rules: [atLeastOneOf('servers', 'discovery'), needs('hashOn', 'policy')],
  check: ({ servers = [], discovery, policy, hashOn, healthCheck, outlierDetection }, report) => {
    if (discovery !== undefined) checkDiscovery(discovery, report)
    if (healthCheck !== undefined) checkHealth(healthCheck, report)
    checkServers(servers, (position) => `/servers/${position}/url`, report)
    if (policy === 'hash' && hashOn === undefined) report('/hashOn', 'this field is required with the policy hash')
    if (outlierDetection !== undefined) checkStatuses(outlierDetection.statuses, '/outlierDetection/statuses', report)
  },
  create: async ({ servers = [], hashOn, sticky, discovery, healthCheck, outlierDetection, ...settings }, env) => {
    const outliers =
      outlierDetection === undefined ? null : { ...outlierDetection, statuses: statusRanges(outlierDetection.statuses) }
    const upstream = await openUpstream(
      {
        ...settings,
        servers,
        discovery: discovery === undefined ? null : discoveryPlanOf(discovery),
        healthCheck: healthCheck === undefined ? null : healthPlanOf(healthCheck),
        hashOn: hashOn ?? null,
        sticky: sticky ?? null,
        outliers,
      },
      env,
    )
    upstream.measure(env)
    return upstream
  },
})
