import { type ClientTls, tlsConnectionOptions } from '#contracts'
import type { Environment } from '#schema'
import { EVENTS } from './log-events.ts'
import { isSecure, topologyOf } from './redis-addresses.ts'
import type { RedisAccess } from './redis-client.ts'
import type { RedisConnection } from './redis-connection.ts'
import type { RedisValues } from './redis-fields.ts'

/** Names of the metrics of a server of Redis. */
export const REDIS_METRICS: readonly string[] = ['gw_redis_unavailable', 'gw_redis_losses_total']

/** Milliseconds that the load of a route waits at least for the first connection; the route loads without one, too. */
const FIRST_CONNECTION = 1_000

/** Problems of one outage that are logged. */
const MAX_PROBLEMS = 8

/**
 * Opens the connection of an object, and closes it when the object is disposed. The route loads although Redis can not be
 * reached; a missing password is a load error.
 */
export async function openRedis(values: RedisValues, env: Environment): Promise<RedisConnection> {
  const { logger, clock } = env
  warnOfPlainConnection(values, env)
  const access = accessBy(values)
  // The client library is imported by the first object that uses Redis: other gateways start faster without it.
  const { redisClient } = await import('./redis-client.ts')
  const { RedisConnection } = await import('./redis-connection.ts')
  const losses = env.metrics.counter('gw_redis_losses_total', 'How often Redis became unavailable.', { name: env.name })
  let isLost = false
  let isKept = false
  const reportAvailable = (): void => {
    if (isKept) env.reportState('degraded', 'Redis is available, by old credentials: the new ones can not be used')
    else env.reportState('up', 'Redis is available')
  }
  const problems = new Set<string>()
  const connection = new RedisConnection(redisClient(await access()), {
    clock,
    timeout: values.timeout,
    onLost: (problem) => {
      isLost = true
      problems.add(problem)
      losses.add()
      logger.warn({ problem }, EVENTS.UNAVAILABLE)
      env.reportState('degraded', 'Redis is unavailable')
    },
    // The first problem is often only that the connection was closed; a rejected password follows.
    onFailedAgain: (problem) => {
      if (problems.has(problem) || problems.size >= MAX_PROBLEMS) return
      problems.add(problem)
      logger.warn({ problem }, EVENTS.RECONNECT_FAILED)
    },
    onRejected: (problem) => {
      const { keyPrefix } = values
      logger.limited(codeOf(problem)).warn({ problem, keyPrefix }, EVENTS.COMMAND_REJECTED)
    },
    onRecovered: () => {
      isLost = false
      problems.clear()
      logger.info('Redis available again')
      reportAvailable()
    },
    onKept: (problem) => {
      isKept = true
      logger.warn({ problem }, EVENTS.CREDENTIALS_NOT_USED)
      reportAvailable()
    },
    onReplaced: () => {
      if (isKept) logger.info('the new credentials for Redis are used')
      isKept = false
      if (!isLost) reportAvailable()
    },
  })
  env.metrics.reading('gw_redis_unavailable', 'Whether a server of Redis does not respond: 1, or 0.', {
    labels: { name: env.name },
    read: () => Number(isLost),
    merge: 'max',
  })
  env.onDispose(() => connection.close())
  if (!env.serving) return connection
  // A server that is given more time for each reply is given as much for its first one.
  const limit = Math.max(FIRST_CONNECTION, values.timeout)
  await connection.open(limit)
  const renew = async (): Promise<void> => {
    try {
      await connection.replace(redisClient(await access()), limit)
    } catch (error) {
      const { message: problem } = error as Error
      logger.warn({ problem }, EVENTS.CREDENTIALS_UNREADABLE)
    }
  }
  // Sequential: an older password that is read late must not replace a newer one.
  let renewal = Promise.resolve()
  const onChange = (): void => {
    renewal = renewal.then(renew)
  }
  for (const source of changing(values)) env.onDispose(source.onChange(onChange))
  return connection
}

function accessBy(values: RedisValues): () => Promise<RedisAccess> {
  const { username = null, passwordSecretId, sentinelUsername = null, sentinelPasswordSecretId } = values
  const tls: ClientTls | null = values.tls ?? null
  const passwordOf = async (secretId: string | undefined): Promise<string | null> => {
    if (secretId === undefined) return null
    return (await values.secretsProvider.active({ secretId, purpose: 'GENERIC' })).revealText()
  }
  return async () => ({
    topology: topologyOf(values),
    credentials: { username, password: await passwordOf(passwordSecretId) },
    sentinelCredentials: { username: sentinelUsername, password: await passwordOf(sentinelPasswordSecretId) },
    tls: isSecure(values) ? await tlsConnectionOptions(tls) : null,
    keyPrefix: values.keyPrefix,
  })
}

interface Changing {
  onChange(listener: () => void): () => void
}

function changing(values: RedisValues): readonly Changing[] {
  const { secretsProvider, tls } = values
  const sources = [hasPassword(values) ? secretsProvider : null, tls?.keys, tls?.trust]
  return sources.filter((source) => source !== null && source !== undefined)
}

/** Without TLS, password and data cross the network in clear text. */
function warnOfPlainConnection(values: RedisValues, env: Environment): void {
  const { url } = values
  const urls = typeof url === 'string' ? [url] : url
  const isFar = urls.some((each) => !/^rediss:|^redis:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?:[:/]|$)/.test(each))
  if (!isFar || !hasPassword(values)) return
  env.warn('the password for Redis is sent in clear text over redis; use rediss for url')
}

function hasPassword({ passwordSecretId, sentinelPasswordSecretId }: RedisValues): boolean {
  return passwordSecretId !== undefined || sentinelPasswordSecretId !== undefined
}

/** The code that an error reply begins with, such as OOM; scripts of older versions have it later in their message. */
function codeOf(problem: string): string {
  return /^[A-Z]+/.exec(problem)?.[0] ?? ''
}
