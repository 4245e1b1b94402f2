import { resolve } from 'node:path'
import type { UnitSettings } from '#contracts'
import type { Scope } from '#expression'
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
}

const OFF: OpenAccessLog = { log: null, reopen: () => {}, close: async () => {} }

/** Opens the access log of admin.json. Throws where its file can not be opened. */
export function openAccessLog(
  { settings: { accessLog }, logging }: Pick<UnitSettings, 'settings' | 'logging'>,
  { folder, scope, clock, logger, metrics }: AccessLogEnvironment,
): OpenAccessLog {
  const { destination, format, condition } = accessLog
  if (destination === 'off') return OFF
  const file = destination === 'stdout' ? null : new LogFile(resolve(folder, destination))
  const batch = new LineBatch(file ?? standardOutput(), (lines) => {
    const error = file?.error ?? undefined
    logger.limited().warn({ destination, lines, error }, EVENTS.ACCESS_LINES_LOST)
  })
  metrics.countReading('gw_access_log_lines_lost_total', 'Access lines that were dropped.', { read: () => batch.lost })
  const flushAtExit = (): void => batch.flush()
  process.prependListener('exit', flushAtExit)
  return {
    log: new UnitAccessLog({ format, condition, batch, scope, clock, logger, pretty: prettyFor(logging, file) }),
    reopen: () => {
      batch.flush()
      file?.reopen()
    },
    close: async () => {
      process.off('exit', flushAtExit)
      batch.flush()
      await file?.close()
    },
  }
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
