import { Cluster, ReplyError } from 'ioredis'
import type { Clock } from '#schema'
import { boundedWait } from '#timing'
import { type Availability, type AvailabilityEvents, CONNECTION_CLOSED } from './availability.ts'
import { isConnected, nodeFor, nodesConnected, watchNodes } from './cluster-nodes.ts'
import { READ_ONLY, type RedisClient } from './redis-client.ts'
import { RedisError } from './redis-error.ts'
import type { RedisArgument, RedisScript } from './redis-script.ts'
import { ResponseTimeoutError, withResponseTimeout } from './response-timeout.ts'
import { ALL_NODES, ServerStates } from './servers.ts'

export interface ConnectionSettings extends AvailabilityEvents {
  readonly clock: Clock
  /** Milliseconds until a reply must arrive. */
  readonly timeout: number
  /** Called for each error reply to a command: Redis responds, and rejects it. */
  onRejected(problem: string): void
  /** Called where other credentials can not be used, and the connection with the old ones goes on; then `onReplaced`, once. */
  onKept(problem: string): void
  onReplaced(): void
}

/** Sends commands to Redis, each with a timeout. The client adds `keyPrefix` to keys. */
export class RedisConnection {
  readonly #clock: Clock
  readonly #timeout: number
  readonly #servers: ServerStates
  readonly #settings: Pick<ConnectionSettings, 'onRejected' | 'onKept' | 'onReplaced'>
  /** The one in use, and while it is replaced the other one. */
  readonly #open = new Set<RedisClient>()
  #client: RedisClient
  /** Goes on connecting while the one in use is kept. */
  #next: RedisClient | null = null
  #isClosed = false
  #nextRoleCheck = 0

  constructor(client: RedisClient, settings: ConnectionSettings) {
    const { timeout, clock, ...events } = settings
    this.#clock = clock
    this.#timeout = timeout
    this.#settings = settings
    this.#servers = new ServerStates(clock, events)
    this.#client = client
    this.#listen(client)
  }

  /** Sends one command, whose first argument is its key. Rejects with a RedisError on a timeout or an error reply. */
  call(command: string, ...args: readonly RedisArgument[]): Promise<unknown> {
    return this.#send(args[0], (client) => client.call(command, ...args))
  }

  /** Runs a script with one message. In a cluster, all keys must be of one slot. */
  run(script: RedisScript, keys: readonly string[], args: readonly RedisArgument[]): Promise<unknown> {
    return this.#send(keys[0], (client) =>
      client.evalsha(script.digest, keys.length, ...keys, ...args).catch((error: Error) => {
        if (!error.message.startsWith('NOSCRIPT')) throw error
        return client.eval(script.lua, keys.length, ...keys, ...args)
      }),
    )
  }

  /** Waits for the connection up to `limit` milliseconds; the client goes on connecting in the background. */
  open(limit: number): Promise<void> {
    return this.#connect(this.#client, limit)
  }

  async #connect(client: RedisClient, limit: number): Promise<void> {
    const ready = new Promise<void>((resolve) => client.once('ready', resolve)).then(() => {
      return client instanceof Cluster ? nodesConnected(client) : undefined
    })
    client.connect().catch(() => {})
    await boundedWait(ready, limit)
  }

  /**
   * Switches to a client with other credentials once it is connected, or after `limit` milliseconds where the old one does not work.
   * Until then commands are sent with the old one; those in flight finish there. A mistake in a password, or one that is not in effect
   * yet, ends nothing that works: the old connection is used while it lasts. No other is made with the old credentials.
   */
  async replace(client: RedisClient, limit: number): Promise<void> {
    if (this.#isClosed) {
      client.disconnect()
      return
    }
    const wasKept = this.#next !== null
    if (this.#next !== null) this.#disconnect(this.#next)
    this.#next = client
    const old = this.#client
    let problem = `no connection within ${limit} ms`
    const onError = (error: Error): void => {
      if (!isRepeated(error)) problem = problemOf(error)
    }
    this.#listen(client)
    client.on('error', onError)
    await this.#connect(client, limit)
    // Closed, or this one was replaced in turn.
    if (this.#next !== client) return
    const isKept = client.status !== 'ready' && old.status === 'ready' && !this.#servers.isLost(ALL_NODES)
    const use = (): void => {
      client.off('error', onError)
      if (this.#next !== client) return
      this.#next = null
      this.#use(client, problem)
      if (isKept || wasKept) this.#settings.onReplaced()
    }
    if (!isKept) return use()
    this.#settings.onKept(problem)
    client.once('ready', use)
    old.once('close', use)
  }

  #use(client: RedisClient, problem: string): void {
    const old = this.#client
    this.#client = client
    const whole = this.#servers.of(ALL_NODES)
    if (client.status === 'ready') whole.succeeded()
    else whole.failed(problem)
    setTimeout(() => this.#disconnect(old), this.#timeout).unref()
  }

  close(): void {
    this.#isClosed = true
    this.#next = null
    for (const client of this.#open) this.#disconnect(client)
  }

  #disconnect(client: RedisClient): void {
    this.#open.delete(client)
    client.disconnect()
  }

  #listen(client: RedisClient): void {
    this.#open.add(client)
    const isOpen = () => this.#open.has(client)
    const isCurrent = () => client === this.#client && isOpen()
    const whole = this.#servers.of(ALL_NODES)
    client.on('ready', () => isCurrent() && this.#responded(client, whole))
    client.on('error', (error: Error) => isCurrent() && !isRepeated(error) && whole.failed(problemOf(error)))
    client.on('close', () => isCurrent() && whole.closed())
    if (!(client instanceof Cluster)) return
    watchNodes(client, { servers: this.#servers, timeout: this.#timeout, isOpen, isCurrent })
  }

  #send(key: RedisArgument | undefined, command: (client: RedisClient) => Promise<unknown>): Promise<unknown> {
    const client = this.#client
    const name = client instanceof Cluster ? nodeFor(client, key) : ALL_NODES
    const server = this.#servers.of(name)
    if (client.status !== 'ready' || !server.allows() || !this.#isReachable(client, name)) {
      return Promise.reject(new RedisError('unavailable', 'Redis can not be reached'))
    }
    const sentAt = this.#clock.monotonic()
    return withResponseTimeout(command(client), this.#timeout).then(
      (answer) => {
        this.#responded(client, server)
        return answer
      },
      (error: Error) => {
        throw this.#failure(server, error, sentAt)
      },
    )
  }

  /** A lost node of a cluster is used only while it is connected. */
  #isReachable(client: RedisClient, name: string): boolean {
    return !(client instanceof Cluster) || !this.#servers.isLost(name) || isConnected(client, name)
  }

  /** The server responded, which ends its outage; one that rejected a write has to be a primary again. */
  #responded(client: RedisClient, server: Availability): void {
    if (!server.isReadOnly || client instanceof Cluster) {
      server.succeeded()
      return
    }
    const now = this.#clock.monotonic()
    if (now < this.#nextRoleCheck) return
    this.#nextRoleCheck = now + ROLE_CHECK_INTERVAL
    client.info('replication').then(
      (text) => !REPLICA.test(text) && client === this.#client && server.succeeded(),
      // A user without the permission for INFO.
      (error: Error) => error instanceof ReplyError && client === this.#client && server.succeeded(),
    )
  }

  #failure(server: Availability, error: Error, sentAt: number): RedisError {
    if (error instanceof ResponseTimeoutError) {
      server.missed(error.message, sentAt)
      return new RedisError('timeout', error.message)
    }
    const problem = problemOf(error)
    if (!(error instanceof ReplyError)) {
      server.failed(problem)
      return new RedisError('unavailable', problem)
    }
    if (READ_ONLY.test(problem)) server.rejectedWrite(problem)
    else server.missed(problem, sentAt)
    this.#settings.onRejected(problem)
    return new RedisError('refused', problem)
  }
}

/** Milliseconds between questions for the role of a server that rejected a write. */
const ROLE_CHECK_INTERVAL = 200
const REPLICA = /^role:slave\b/m

/** Messages of the client for a lost connection; replaced since they name options of the client. */
const CLOSED = /^(?:Connection is closed|Stream isn't writeable|Reached the max retries)/

/** Each of the sentinels was asked for the primary. Only with a last error could one of them not be used, perhaps not all. */
const SENTINELS = /^All sentinels are unreachable\b(?:.* Last error: (?<last>.*))?/s

/** Whether the client only counts what it has reported: sentinels respond, and connecting to the primary that they name has failed. */
function isRepeated({ message }: Error): boolean {
  const sentinels = SENTINELS.exec(message)
  return sentinels !== null && sentinels.groups?.['last'] === undefined
}

/** The message only: errors of the client contain the arguments of the command, which may be a password. */
function problemOf({ message, lastNodeError }: ClientError): string {
  if (lastNodeError) return `no node of the cluster answers: ${problemOf(lastNodeError)}`
  const last = SENTINELS.exec(message)?.groups?.['last']
  if (last !== undefined) return `a sentinel can not be used: ${last}`
  return CLOSED.test(message) ? CONNECTION_CLOSED : message
}

/** `lastNodeError` is set where no node of a cluster could be reached. */
interface ClientError extends Error {
  readonly lastNodeError?: Error | null
}
