import { DEFAULT_TOPICS } from '#access-manager'
import { AuditServiceKind, ClientTlsKind, Executor, ProxyOptionsKind } from '#contracts'
import {
  boolean,
  config,
  type DecodedMembers,
  duration,
  integer,
  json,
  list,
  map,
  object,
  ref,
  type Settled,
  string,
} from '#schema'

const MEMBERS = {
  enabled: config(boolean()).default(true).meta({
    description: 'Whether the gateway subscribes to notifications. If not, cached data only expire by their TTL.',
  }),
  initialConnectionAttempts: config(integer({ min: -1 }))
    .default(5)
    .meta({
      description:
        'Initial attempts before the service is degraded; -1 for any number. The route is deployed in any case, and the attempts continue.',
    }),
  reconnectDelay: config(duration({ unlimited: false, min: '10 milliseconds' }))
    .default('5 seconds')
    .meta({
      description:
        'Delay before the next connection attempt. Grows to three times as much while attempts fail; randomly shortened by up to a half.',
    }),
  renewalDelay: config(duration()).default('50 minutes').meta({
    description:
      'Age at which a connection is replaced by a new one, without loss of notifications; zero or unlimited: never.',
  }),
  heartbeatInterval: config(duration()).default('1 minute').meta({
    description:
      'Interval of pings, 20 seconds at most. A connection without a pong for half of it counts as lost. Zero or unlimited: no pings.',
  }),
  connectionTimeout: config(duration({ zero: false }))
    .default('60 seconds')
    .meta({ description: 'Maximum wait for the connection, including the TLS and WebSocket handshakes.' }),
  idleTimeout: config(duration()).default('unlimited').meta({
    description: 'Maximum time without a message or pong, after which the connection is replaced; zero: unlimited.',
  }),
  topics: list(config(string({ nonEmpty: true })), { nonEmpty: true })
    .optional()
    .meta({
      description: `Topics of notifications, each of which the server has to accept; by default ${DEFAULT_TOPICS.join(', ')}, of which it may reject some.`,
    }),
  tls: ref(ClientTlsKind).optional().meta({
    description:
      'TLS options; by default certificates must be issued by an authority that the platform trusts and match the host name.',
  }),
  proxyOptions: ref(ProxyOptionsKind)
    .default('ProxyOptions')
    .meta({ description: 'Selects the forward proxy of the connection; by default none.' }),
  executor: ref(Executor)
    .default('ScheduledExecutorService')
    .meta({ description: 'Service that schedules heartbeats, renewals and attempts.' }),
  vertx: config(map(config(json())))
    .default({})
    .meta({
      description: 'Options of the WebSocket client in Java; none has a counterpart here, and a warning names them.',
    }),
  audit: object({
    auditService: ref(AuditServiceKind)
      .default('AuditService')
      .meta({ description: 'Service that gets an event of the topic `notifications` for each notification.' }),
    auditIgnoredNotifications: config(boolean())
      .default(false)
      .meta({ description: 'Whether notifications that the gateway ignores get an event too.' }),
  })
    .default({})
    .meta({ description: 'Audit of notifications.' }),
}

/** The field `notifications` of AmService. */
export const NOTIFICATIONS_FIELD = object(MEMBERS)
  .default({})
  .meta({ description: 'Notifications of changed policies, sessions and tokens, over WebSocket.' })

/** Values of the field `notifications`. */
export type NotificationValues = Settled<DecodedMembers<typeof MEMBERS>>
