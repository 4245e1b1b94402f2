import { type Logger as PinoLogger, pino } from 'pino'
import {
  jsonLines,
  type LogDestination,
  onTerminal,
  prettyLines,
  standardDestination,
  terminalHasColours,
} from './destination.ts'
import { type LevelsByName, type LogLevel, levelOf } from './levels.ts'
import { bounded, Printer } from './printable.ts'

/** What an entry says beside its message; an Error stands under `error`. */
export type LogFields = Readonly<Record<string, unknown>>

/** Writes one entry: a message, or fields (or an error) and a message. */
export interface LogMethod {
  (message: string): void
  (fields: LogFields | Error, message: string): void
}

/** Writes log entries under one name. */
export interface Logger {
  readonly name: string | null
  readonly level: LogLevel
  readonly trace: LogMethod
  readonly debug: LogMethod
  readonly info: LogMethod
  readonly warn: LogMethod
  readonly error: LogMethod
  /** A logger that adds these fields to its entries; the binding `logger` is its qualified name. */
  child(bindings: LogFields & { readonly logger?: string }): Logger
  isEnabled(level: Exclude<LogLevel, 'silent'>): boolean
}

/** How logs are written. */
export interface LoggerOptions {
  readonly level?: LogLevel
  /** Levels of single loggers, by name or by a prefix of whole name parts. */
  readonly levels?: LevelsByName
  readonly format?: 'json' | 'pretty' | 'auto'
  readonly destination?: LogDestination
  /** For the pretty format; by default what the terminal can do. */
  readonly colour?: 'colour' | 'plain'
}

const ownFields: ReadonlySet<string> = new Set(['time', 'level', 'logger', 'message'])

interface Settings {
  readonly root: PinoLogger
  readonly level: LogLevel
  readonly levels: LevelsByName
}

class NamedLogger implements Logger {
  readonly name: string | null
  readonly level: LogLevel
  readonly trace: LogMethod
  readonly debug: LogMethod
  readonly info: LogMethod
  readonly warn: LogMethod
  readonly error: LogMethod
  readonly #settings: Settings
  readonly #bindings: LogFields
  readonly #pino: PinoLogger

  constructor(settings: Settings, name: string | null, bindings: LogFields) {
    this.name = name
    this.level = name === null ? settings.level : levelOf(name, settings.levels, settings.level)
    this.#settings = settings
    this.#bindings = bindings
    const printed = new Printer().fields(bindings, ownFields)
    // Children are made from the root each time: pino would write a rebound name twice.
    this.#pino = settings.root.child(name === null ? { ...printed } : { logger: bounded(name), ...printed }, {
      level: this.level,
    })
    this.trace = this.#method('trace')
    this.debug = this.#method('debug')
    this.info = this.#method('info')
    this.warn = this.#method('warn')
    this.error = this.#method('error')
  }

  child(bindings: LogFields & { readonly logger?: string }): Logger {
    const { logger, ...rest } = bindings
    return new NamedLogger(this.#settings, logger ?? this.name, { ...this.#bindings, ...rest })
  }

  isEnabled(level: Exclude<LogLevel, 'silent'>): boolean {
    return this.#pino.isLevelEnabled(level)
  }

  #method(level: Exclude<LogLevel, 'silent'>): LogMethod {
    if (!this.#pino.isLevelEnabled(level)) return () => {}
    const target = this.#pino
    return (first: string | LogFields | Error, message?: string) => {
      if (typeof first === 'string') target[level]({}, bounded(first))
      else target[level](new Printer().fields(first, ownFields), bounded(message ?? ''))
    }
  }
}

function chooseDestination(options: LoggerOptions): LogDestination {
  const { format = 'auto', destination, colour } = options
  const target = destination ?? standardDestination()
  const pretty = format === 'pretty' || (format === 'auto' && destination === undefined && onTerminal())
  if (!pretty) return jsonLines(target)
  const coloured = destination === undefined && onTerminal() && terminalHasColours()
  return prettyLines(target, colour ?? (coloured ? 'colour' : 'plain'))
}

/** Makes the logger all others descend from; JSON lines, or readable ones on a terminal. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const level = options.level ?? 'info'
  const root = pino(
    {
      base: null,
      level: 'trace',
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    chooseDestination(options),
  )
  return new NamedLogger({ root, level, levels: options.levels ?? {} }, null, {})
}
