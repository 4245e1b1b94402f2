import { resolve } from 'node:path'
import type { UnitSettings } from '#contracts'
import type { Scope } from '#expression'
import type { StateReporter } from '#heap'
import type { AccessLog } from '#http'
import {
  type LogEntry,
  LogFile,
  type Logger,
  onTerminal,
  prettyLine,
  standardOutput,
  terminalHasColours,
} from '#logging'
import type { MetricsScope } from '#metrics'
import type { Clock } from '#schema'
import { EVENTS } from '../log-events.ts'
import { UnitAccessLog } from './access-log.ts'
import { LineBatch } from './line-batch.ts'
import { OutageReport } from './outage-report.ts'

/** The access log of a unit and its destination. */
export interface OpenAccessLog {
  /** Null where it is switched off. */
  readonly log: AccessLog | null
  /** Opens a file again. */
  reopen(): void
  /** Writes the lines that are left. */
  close(): Promise<void>
}

interface AccessLogEnvironment {
  /** Of relative paths. */
  readonly folder: string
  readonly scope: Scope
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: MetricsScope
  /** Of its destination. */
  readonly states: StateReporter
}

const OFF: OpenAccessLog = { log: null, reopen: () => {}, close: async () => {} }

/** Opens the access log of admin.json. Throws where its file can not be opened. */
export function openAccessLog(
  { settings: { accessLog }, logging }: Pick<UnitSettings, 'settings' | 'logging'>,
  { folder, scope, clock, logger, metrics, states }: AccessLogEnvironment,
): OpenAccessLog {
  const { destination, format, condition } = accessLog
  if (destination === 'off') return OFF
  const report = new OutageReport({ destination, clock, logger, states })
  const file = destination === 'stdout' ? null : openFile(resolve(folder, destination), destination, report, logger)
  if (file === null) standardOutput().onDrained = () => report.drained()
  else countFailures(file, metrics)
  const batch = new LineBatch(file ?? standardOutput(), (lines) => report.lose(lines))
  metrics.countReading('gw_access_log_lines_lost_total', 'Access lines that were dropped.', { read: () => report.lost })
  const writeAtExit = (): void => {
    batch.flush()
    file?.writeRest()
    report.close()
  }
  process.prependListener('exit', writeAtExit)
  return {
    log: new UnitAccessLog({ format, condition, batch, scope, clock, logger, pretty: prettyFor(logging, file) }),
    reopen: () => {
      batch.flush()
      file?.reopen()
    },
    close: async () => {
      process.off('exit', writeAtExit)
      batch.flush()
      await file?.close()
      report.close()
    },
  }
}

function openFile(path: string, destination: string, report: OutageReport, logger: Logger): LogFile {
  return new LogFile(path, {
    failed: (error) => report.failed(error),
    drained: () => report.drained(),
    lost: (lines) => report.lose(lines),
    notReopened: (error) => logger.warn({ destination, error }, EVENTS.ACCESS_LOG_NOT_REOPENED),
  })
}

function countFailures(file: LogFile, metrics: MetricsScope): void {
  const help = 'Attempts to open or write the file of the access log that failed.'
  metrics.countReading('gw_access_log_write_failures_total', help, { read: () => file.failed })
}

/** Lines on a terminal are those of the log. */
function prettyFor({ format }: UnitSettings['logging'], file: LogFile | null): ((line: string) => string) | null {
  const isPretty = format === 'pretty' || (format === 'auto' && onTerminal())
  if (file !== null || !isPretty) return null
  const colour = onTerminal() && terminalHasColours() ? 'colour' : 'plain'
  return (line) => {
    const { method, host, path, status, ...fields } = JSON.parse(line) as LogEntry
    const message = `${method ?? 'refused request'} ${host ?? ''}${path ?? ''} ${status ?? 'no response'}`
    const shown = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
    return prettyLine({ ...(shown as unknown as LogEntry), message }, colour)
  }
}
