import { spawn } from 'node:child_process'
import type { Logger } from '#logging'
import { EVENTS } from '../log-events.ts'

/** States of the gateway that a service manager is notified of. */
export interface ServiceNotifier extends Disposable {
  /** The gateway serves; from the first call on the watchdog is served, too. */
  ready(status: string): void
  /** The gateway serves in the place of another process, which was the main one of the service. */
  tookOver(status: string, pid: number): void
  /** Another process serves in the place of this one. */
  handedOver(pid: number): void
  reloading(): void
  stopping(): void
}

/** Input of the notifications of systemd. */
interface NotifierInput {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly logger: Logger
  readonly pid: number
  /** Whether the control thread and all threads of units can be relied on; no watchdog message is sent otherwise. */
  isLive(): boolean
  /** Sends assignments to the socket. */
  send?(assignments: readonly string[]): Promise<void>
}

const NO_NOTIFIER: ServiceNotifier = {
  ready: () => {},
  tookOver: () => {},
  handedOver: () => {},
  reloading: () => {},
  stopping: () => {},
  [Symbol.dispose]: () => {},
}

/** Time-out of one message in milliseconds. */
const SEND_TIMEOUT = 5_000

const WARNING_INTERVAL = 60_000

/** systemd where it waits for notifications (`NOTIFY_SOCKET`, sd_notify(3)); a no-op elsewhere. */
export function serviceNotifier(input: NotifierInput): ServiceNotifier {
  const { NOTIFY_SOCKET: socket, PATH } = input.env
  if (socket === undefined || socket === '') return NO_NOTIFIER
  return new Systemd({ send: (assignments) => systemdNotify(assignments, { NOTIFY_SOCKET: socket, PATH }), ...input })
}

/** Notifies systemd. Messages are sent one after the other and never delay the gateway; a failure is logged. */
class Systemd implements ServiceNotifier {
  readonly #input: NotifierInput & { send(assignments: readonly string[]): Promise<void> }
  #queue: Promise<void> = Promise.resolve()
  #pending = 0
  #watchdog: NodeJS.Timeout | null = null

  constructor(input: NotifierInput & { send(assignments: readonly string[]): Promise<void> }) {
    this.#input = input
  }

  tookOver(status: string, pid: number): void {
    this.#notify(`MAINPID=${pid}`)
    this.ready(status)
  }

  handedOver(pid: number): void {
    // Messages of a process outside of the service are ignored: this one is part of it.
    this.#notify(`MAINPID=${pid}`)
    this[Symbol.dispose]()
  }

  ready(status: string): void {
    this.#notify('READY=1', `STATUS=${status}`)
    const interval = watchdogInterval(this.#input)
    if (interval !== null) this.#watchdog ??= setInterval(() => this.#serveWatchdog(), interval).unref()
  }

  reloading(): void {
    // CLOCK_MONOTONIC, which Type=notify-reload needs.
    const now = process.hrtime.bigint() / 1000n
    this.#notify('RELOADING=1', `MONOTONIC_USEC=${now}`, 'STATUS=reloading routes, keystores and secrets')
  }

  stopping(): void {
    this.#notify('STOPPING=1', 'STATUS=draining: in-flight requests may finish')
  }

  [Symbol.dispose](): void {
    if (this.#watchdog !== null) clearInterval(this.#watchdog)
  }

  #serveWatchdog(): void {
    // Messages that are not sent in time must not accumulate.
    if (this.#pending === 0 && this.#input.isLive()) this.#notify('WATCHDOG=1')
  }

  #notify(...assignments: readonly string[]): void {
    this.#pending++
    this.#queue = this.#queue
      .then(() => this.#input.send(assignments))
      .catch((error: unknown) => {
        const fields = { error, state: assignments[0] }
        this.#input.logger.limited('systemd', WARNING_INTERVAL).warn(fields, EVENTS.SYSTEMD_NOT_NOTIFIED)
      })
      .finally(() => {
        this.#pending--
      })
  }
}

/** Half of the watchdog's time-out in milliseconds; null where systemd runs none for this process. */
function watchdogInterval({ env, pid }: NotifierInput): number | null {
  const { WATCHDOG_USEC: microseconds = '', WATCHDOG_PID: watched } = env
  if (!/^[1-9]\d{0,17}$/.test(microseconds) || (watched !== undefined && watched !== String(pid))) return null
  return Math.min(Math.max(1, Math.floor(Number(microseconds) / 2000)), 2 ** 31 - 1)
}

/**
 * Sends a message by the command of systemd: Node has no Unix datagram sockets. The command waits until systemd has received
 * the message, which could not assign it to the service once the sender is gone.
 */
function systemdNotify(
  assignments: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('systemd-notify', [...assignments], {
      env,
      stdio: 'ignore',
      timeout: SEND_TIMEOUT,
      killSignal: 'SIGKILL',
    })
    child.unref()
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      if (code === 0) resolve()
      else reject(new Error(`systemd-notify ended with ${signal ?? `exit code ${code}`}`))
    })
  })
}
