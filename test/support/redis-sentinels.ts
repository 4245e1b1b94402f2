import { RedisServer } from './redis.ts'

/** Name of the primary in the configuration of sentinels. */
export const PRIMARY_NAME = 'shop'

/** A primary, its replica, and sentinels that promote the replica soon after the primary is unresponsive. */
export class RedisSentinels implements AsyncDisposable {
  readonly primary: RedisServer
  readonly replica: RedisServer
  readonly sentinels: readonly RedisServer[]

  private constructor(primary: RedisServer, replica: RedisServer, sentinels: readonly RedisServer[]) {
    this.primary = primary
    this.replica = replica
    this.sentinels = sentinels
  }

  /** Starts sentinels with a majority quorum, with further arguments for servers and lines for sentinels. */
  static async start(
    count: number,
    extra: readonly string[] = [],
    lines: readonly string[] = [],
  ): Promise<RedisSentinels> {
    const primary = await RedisServer.start('--repl-diskless-sync-delay', '0', ...extra)
    // Sentinels discover replicas every ten seconds only, so the replica is started first.
    const replica = await RedisServer.start('--replicaof', `127.0.0.1 ${primary.port}`, ...extra)
    await primary.answers('state=online', 'INFO', 'replication')
    const all = [
      `sentinel monitor ${PRIMARY_NAME} 127.0.0.1 ${primary.port} ${Math.floor(count / 2) + 1}`,
      `sentinel down-after-milliseconds ${PRIMARY_NAME} 300`,
      `sentinel failover-timeout ${PRIMARY_NAME} 1000`,
      ...lines,
    ]
    const sentinels = await Promise.all(Array.from({ length: count }, () => RedisServer.startSentinel(...all)))
    const started = new RedisSentinels(primary, replica, sentinels)
    try {
      await Promise.all(sentinels.map((each) => each.answers(`slaves=1,sentinels=${count}`, 'INFO', 'sentinel')))
    } catch (error) {
      await started[Symbol.asyncDispose]()
      throw error
    }
    return started
  }

  get urls(): string[] {
    return this.sentinels.map(({ url }) => url)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.primary, this.replica, ...this.sentinels].map((each) => each[Symbol.asyncDispose]()))
  }
}
