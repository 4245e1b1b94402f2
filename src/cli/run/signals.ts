import type { EventEmitter } from 'node:events'
import type { Gateway } from '#control'
import type { Logger } from '#logging'
import { EXIT } from '../exit-codes.ts'
import { EVENTS } from '../log-events.ts'
import type { FatalErrors } from './fatal-errors.ts'
import type { ServiceNotifier } from './service-notifier.ts'

/** Milliseconds within which signals count as one: npm forwards a Ctrl-C that its child also got from the terminal. */
const ONE_KEY_PRESS = 250

/** Promises for the first and the second SIGTERM or SIGINT after construction. */
export class StopSignals implements Disposable {
  readonly #first = Promise.withResolvers<NodeJS.Signals>()
  readonly #second = Promise.withResolvers<NodeJS.Signals>()
  readonly #source: EventEmitter
  readonly #now: () => number
  #firstAt: number | null = null

  constructor(source: EventEmitter = process, now: () => number = () => performance.now()) {
    this.#source = source
    this.#now = now
    source.on('SIGTERM', this.#take)
    source.on('SIGINT', this.#take)
  }

  get first(): Promise<NodeJS.Signals> {
    return this.#first.promise
  }

  get second(): Promise<NodeJS.Signals> {
    return this.#second.promise
  }

  readonly #take = (signal: NodeJS.Signals): void => {
    const now = this.#now()
    if (this.#firstAt === null) {
      this.#firstAt = now
      this.#first.resolve(signal)
    } else if (signal !== 'SIGINT' || now - this.#firstAt > ONE_KEY_PRESS) this.#second.resolve(signal)
  };

  [Symbol.dispose](): void {
    this.#source.off('SIGTERM', this.#take)
    this.#source.off('SIGINT', this.#take)
  }
}

/** SIGHUPs after construction: those before the listener is set count as one, for which it is called at once. */
export class ReloadSignals implements Disposable {
  readonly #source: EventEmitter
  #listener: (() => void) | null = null
  #isPending = false

  constructor(source: EventEmitter = process) {
    this.#source = source
    source.on('SIGHUP', this.#take)
  }

  listen(listener: () => void): void {
    this.#listener = listener
    if (this.#isPending) listener()
    this.#isPending = false
  }

  readonly #take = (): void => {
    if (this.#listener === null) this.#isPending = true
    else this.#listener()
  };

  [Symbol.dispose](): void {
    this.#source.off('SIGHUP', this.#take)
  }
}

/** Reasons to stop a serving gateway, and the service manager that is notified. */
interface StopSources {
  readonly signals: Pick<StopSignals, 'first' | 'second'>
  readonly reloads: Pick<ReloadSignals, 'listen'>
  readonly fatal: Pick<FatalErrors, 'first'>
  /** Resolves when another process serves in the place of this one. */
  readonly taken?: Promise<{ readonly pid: number }>
  readonly service: Pick<ServiceNotifier, 'ready' | 'reloading' | 'stopping' | 'handedOver'>
  /** Description of the serving gateway for the service manager. */
  readonly status: string
  /** Milliseconds from a signal to the drain. */
  readonly shutdownDelay: number
}

/**
 * Serves until the first signal or a fatal error, then drains; a second signal ends at once. SIGHUP reloads routes,
 * keystores and secrets.
 */
export async function serveUntilStopped(
  gateway: Gateway,
  { signals, reloads, fatal, service, status, shutdownDelay, taken = new Promise(() => {}) }: StopSources,
  logger: Logger,
): Promise<number> {
  let isStopping = false
  const reload = async (): Promise<void> => {
    logger.info('reloading routes, keystores and secrets')
    service.reloading()
    const failed = await gateway.reload().then(
      () => false,
      (error: unknown) => {
        logger.error({ error }, EVENTS.RELOAD_FAILED)
        return true
      },
    )
    if (!isStopping) service.ready(failed ? `${status}; the last reload failed, see the log` : status)
  }
  reloads.listen(() => void reload())
  try {
    let code: number = EXIT.ok
    void fatal.first.then(() => {
      code = EXIT.failed
    })
    const cause = await Promise.race([signals.first, fatal.first.then(() => null), taken])
    isStopping = true
    const successor = cause !== null && typeof cause === 'object' ? cause : null
    const signal = typeof cause === 'string' ? cause : null
    if (successor === null) service.stopping()
    else service.handedOver(successor.pid)
    const forced = (successor === null ? signals.second : signals.first).then((second) => ({ second }))
    const stopped = async (): Promise<{ aborted: number }> => {
      if (successor !== null) {
        logger.info(successor, 'another process has taken over; in-flight requests may finish')
        return { aborted: await gateway.drain(true) }
      }
      if (signal !== null && shutdownDelay > 0) {
        logger.info(
          { signal, shutdownDelay },
          'stopping: not ready from now on; connections are accepted for the shutdownDelay',
        )
        await gateway.announceStop()
      }
      logger.info(signal === null ? {} : { signal }, 'stopping: no new connections; in-flight requests may finish')
      return { aborted: await gateway.drain() }
    }
    const drained = stopped()
    drained.catch(() => {})
    const end = await Promise.race([drained, forced])
    if ('second' in end) {
      logger.warn({ signal: end.second }, EVENTS.SECOND_SIGNAL)
      await gateway.terminate()
      return EXIT.forced
    }
    logger.info({ aborted: end.aborted }, 'stopped')
    return code
  } catch (error) {
    logger.error({ error }, EVENTS.STOP_FAILED)
    return EXIT.failed
  }
}
