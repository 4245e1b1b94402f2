import { type AgentSession, DEFAULT_TOPICS, NotificationFeed, type RealmUris } from '#access-manager'
import { MessageConnector } from '#client'
import type { Notifications } from '#contracts'
import type { Environment } from '#schema'
import { failedRecently, recordFailure } from './first-attempt.ts'
import { auditListener } from './notification-audit.ts'
import type { NotificationValues } from './notification-fields.ts'
import type { ServiceState } from './service-state.ts'

/** Parts of the service that the feed uses. */
interface FeedParts {
  readonly values: NotificationValues
  readonly uris: RealmUris
  readonly session: AgentSession
  readonly state: ServiceState
  cookieName(): Promise<string>
  isServing(): Promise<boolean>
}

/** Notifications are small; longer messages end the connection. */
const MAX_MESSAGE_BYTES = 262_144
/** Maximum wait of a deploy for the first connection. */
const FIRST_WAIT = 10_000
const ACKNOWLEDGE_TIMEOUT = 10_000
/** Maximum time between pings: a connection without a pong counts as lost after half of it. */
const LONGEST_INTERVAL = 20_000

/** Connects to the notifications of the access manager; null where they are disabled. */
export async function openFeed({ values, uris, session, state, ...server }: FeedParts, env: Environment) {
  if (!values.enabled) return null
  const { executor, connectionTimeout, tls = null, proxyOptions: proxy, topics } = values
  const connector = new MessageConnector({ connectionTimeout, maxMessageBytes: MAX_MESSAGE_BYTES, tls, proxy })
  const { heartbeatInterval } = values
  // An unresponsive connection is detected within 30 seconds, with any interval (threats F13).
  const interval =
    heartbeatInterval === Number.POSITIVE_INFINITY ? heartbeatInterval : Math.min(heartbeatInterval, LONGEST_INTERVAL)
  const heartbeat = { interval, idleTimeout: values.idleTimeout, executor, clock: env.clock }
  const feed = new NotificationFeed({
    url: uris.notifications,
    subscription: {
      connector,
      topics: [...new Set(topics ?? DEFAULT_TOPICS)],
      requiredTopics: new Set(topics ?? []),
      acknowledgeTimeout: ACKNOWLEDGE_TIMEOUT,
      heartbeat,
    },
    session,
    executor,
    clock: env.clock,
    logger: env.logger,
    reconnectDelay: values.reconnectDelay,
    renewalDelay: values.renewalDelay,
    initialAttempts: values.initialConnectionAttempts < 0 ? Number.POSITIVE_INFINITY : values.initialConnectionAttempts,
    transactionIdHeader: env.settings.transactionIdHeader,
    metrics: metricsOf(env),
    ...server,
    state: (name, detail) => state.notifications(name, detail),
  })
  const { auditService, auditIgnoredNotifications } = values.audit
  feed.listen(auditListener(auditService, auditIgnoredNotifications, env.clock))
  env.onDispose(() => {
    feed.close()
    connector.release()
  })
  if (env.serving) await firstAttempt(feed, uris.url, values, env)
  return feed satisfies Notifications
}

/** Waits for one attempt, for a limited time, so that the gateway starts quickly although the access manager is down. */
async function firstAttempt(feed: NotificationFeed, url: string, { executor }: NotificationValues, env: Environment) {
  const { origin } = new URL(url)
  const first = feed.start()
  if (failedRecently(origin, env.clock)) return
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const cancel = executor.schedule(FIRST_WAIT, resolve)
  await Promise.race([first, late])
  cancel()
  if (!feed.connected && !feed.isAbsent) recordFailure(origin, env.clock)
}

function metricsOf({ metrics, name }: Environment) {
  const labels = { name }
  return {
    connected: metrics.gauge('gw_notification_connected', 'Units whose notifications are connected.', labels),
    reconnects: metrics.counter('gw_notification_reconnects_total', 'Connections made again after a loss.', labels),
    messages: metrics.counter('gw_notification_messages_total', 'Notifications of the access manager.', labels),
    unreadable: metrics.counter('gw_notification_unreadable_total', 'Notifications that could not be read.', labels),
  }
}
