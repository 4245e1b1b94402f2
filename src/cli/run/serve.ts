import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import {
  type AdminSettings,
  Gateway,
  type Predecessor,
  readConfigFile,
  Successors,
  TakeOverError,
  UnitStartError,
} from '#control'
import { JsonSyntaxError } from '#json'
import { createLogger, type Logger, type LogLevel } from '#logging'
import { ConfigError, configWarning } from '#schema'
import { EXIT } from '../exit-codes.ts'
import { EVENTS } from '../log-events.ts'
import { formatLocated, type LocatedProblem, locateProblems, problemsOf } from '../problems.ts'
import type { ProcessContext } from '../process-context.ts'
import { VERSION } from '../version.ts'
import { adminUrl, announce, trafficUrls } from './announcement.ts'
import { checkDescriptors } from './descriptor-check.ts'
import { FatalErrors } from './fatal-errors.ts'
import { serviceNotifier } from './service-notifier.ts'
import { ReloadSignals, StopSignals, serveUntilStopped } from './signals.ts'
import { startFailure } from './start-failure.ts'

const DRAIN_MARGIN = 10_000

const FAILED = Symbol('an uncaught error')

/** Input of `serve`. */
interface Serving {
  readonly settings: AdminSettings
  readonly warnings: readonly LocatedProblem[]
  /** Overrides the format of admin.json. */
  readonly logFormat: 'json' | 'pretty' | null
  /** The running gateway from which this one takes over; null without one. */
  readonly predecessor?: Predecessor | null
  /** Whether the command was to take over from a running gateway. */
  readonly takesOver?: boolean
  /** Path of the socket for processes that take over; null where none can. */
  readonly handover?: string | null
  /** Announces the ready gateway, instead of the usual lines. */
  ready?(urls: { readonly traffic: readonly string[]; readonly admin: string }): void
}

/** Starts a gateway and serves until a stop signal or a fatal error; returns the exit code. */
export async function serve(serving: Serving, context: ProcessContext): Promise<number> {
  const settings = withFormat(serving.settings, serving.logFormat)
  const logger = gatewayLogger(settings)
  const { predecessor = null, handover = null, takesOver = false } = serving
  const gateway = new Gateway({
    settings,
    predecessor,
    unitEntry: context.unitEntry,
    studioPages: context.studioPages,
    logger,
    env: context.env,
    ...VERSION,
  })
  for (const warning of serving.warnings)
    logger.warn({ pointer: warning.pointer }, configWarning(formatLocated(warning)))
  // Before the start, so that a signal during it is handled.
  using signals = new StopSignals()
  using reloads = new ReloadSignals()
  using fatal = new FatalErrors({ logger, deadline: drainDeadline(settings) })
  using service = serviceNotifier({
    env: serviceEnv(context, predecessor),
    logger,
    pid: process.pid,
    isLive: () => gateway.isLive,
  })
  // Units load the same modules: on the first start they are compiled once, not by each thread.
  flushCompileCache()
  const started = gateway.start()
  try {
    const failed = fatal.first.then(() => FAILED)
    const early = await Promise.race([started, signals.first, failed])
    if (early !== undefined) {
      started.catch(() => {})
      if (early !== FAILED) logger.info({ signal: early }, 'stop signal while starting')
      await gateway.terminate()
      return early === FAILED ? EXIT.failed : EXIT.ok
    }
    checkDescriptors(logger)
    if (predecessor !== null) await takeOver(predecessor, gateway, logger)
  } catch (error) {
    // Beside another process, it may have accepted connections.
    if (predecessor === null) await gateway.terminate()
    else await gateway.drain(true)
    if (error instanceof TakeOverError) throw error
    return reportFailedStart(error, { settings, takesOver }, context, logger)
  }
  using successors =
    handover === null ? null : new Successors(handover, gateway.handover(serviceVariables(context)), logger)
  await successors?.listen()
  const urls = { traffic: trafficUrls(settings, gateway.ports), admin: adminUrl(settings, gateway.adminPort) }
  if (serving.ready !== undefined) serving.ready(urls)
  else announce(urls, gateway, settings, logger, context)
  const status = `serving ${urls.traffic.join(', ')}; management ${urls.admin}`
  if (predecessor === null) service.ready(status)
  else service.tookOver(status, process.pid)
  // Awaited here: the signal handlers are removed when this function ends.
  const { shutdownDelay } = settings
  return await serveUntilStopped(
    gateway,
    {
      signals,
      reloads,
      fatal,
      service,
      status,
      shutdownDelay,
      ...(successors !== null && { taken: successors.taken }),
    },
    logger,
  )
}

/** This process serves: the other one accepts nothing more and ends. Throws where the other goes on instead. */
async function takeOver(predecessor: Predecessor, gateway: Gateway, logger: Logger): Promise<void> {
  const { pid } = predecessor.running
  try {
    await predecessor.switch()
    logger.info({ pid }, 'took over: the other process finishes its requests and ends, where it has not ended before')
  } catch (error) {
    if (error instanceof TakeOverError) throw error
    logger.error({ pid, problem: (error as Error).message }, EVENTS.PREDECESSOR_STAYS)
  }
  await gateway.tookOver()
}

/** Variables of the service manager that a process which takes over needs, too. */
function serviceVariables({ env }: ProcessContext): Record<string, string> {
  const { NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID = String(process.pid) } = env
  return {
    ...(NOTIFY_SOCKET !== undefined && { NOTIFY_SOCKET }),
    ...(WATCHDOG_USEC !== undefined && WATCHDOG_PID === String(process.pid) && { WATCHDOG_USEC }),
  }
}

/** The environment for notifications: a service manager watches the process that took over in the place of the other. */
function serviceEnv({ env }: ProcessContext, predecessor: Predecessor | null): ProcessContext['env'] {
  if (predecessor === null) return env
  return { ...env, ...predecessor.running.service, WATCHDOG_PID: String(process.pid) }
}

/** Longer than any successful drain. */
function drainDeadline({ unit }: AdminSettings): number {
  return Math.max(...unit.connectors.map(({ gracePeriod }) => gracePeriod)) + DRAIN_MARGIN
}

function withFormat(settings: AdminSettings, format: Serving['logFormat']): AdminSettings {
  if (format === null) return settings
  return { ...settings, unit: { ...settings.unit, logging: { ...settings.unit.logging, format } } }
}

function gatewayLogger({ unit }: AdminSettings): Logger {
  return createLogger({ level: unit.logging.level as LogLevel, format: unit.logging.format }).child({
    logger: 'gateway',
  })
}

function reportFailedStart(
  error: unknown,
  { settings, takesOver }: { readonly settings: AdminSettings; readonly takesOver: boolean },
  { stdout, stderr }: ProcessContext,
  logger: Logger,
): number {
  const file = join(settings.directories.config, 'config.json')
  const report = (problems: readonly LocatedProblem[]): number => {
    for (const problem of problems) stderr.write(`${formatLocated(problem)}\n`)
    return EXIT.configuration
  }
  // Syntax errors have their own position.
  if (error instanceof JsonSyntaxError || error instanceof ConfigError)
    return report(locateProblems(file, null, problemsOf(error)))
  if (!(error instanceof UnitStartError) || error.problems.length === 0) {
    const reason = startFailure(error, settings, takesOver)
    // On a terminal, the log entry with the stack is only needed if the reason is unknown.
    if (reason === null || stdout.isTTY !== true) logger.error({ error }, EVENTS.START_FAILED)
    stderr.write(`gateway: could not start: ${reason ?? (error as Error).message}\n`)
    return EXIT.failed
  }
  return report(locateProblems(file, readConfigFile(file), error.problems))
}
