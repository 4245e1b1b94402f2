import { jsonLines, type LogDestination, onTerminal, prettyLines, terminalHasColours } from './destination.ts'
import { FirstStacks } from './first-stacks.ts'
import { isAtLeast, type LevelsByName, type LogLevel, levelOf } from './levels.ts'
import { notifyLineObserver } from './line-observer.ts'
import { LogEvent } from './log-event.ts'
import { EVENTS } from './log-events.ts'
import { bounded, Printer } from './printable.ts'
import { REPEAT_INTERVAL, Repeats } from './repeats.ts'
import { StandardOutput } from './standard-output.ts'
import { standardOutput } from './thread-output.ts'

/** Fields of an entry beside its message; an Error is the field `error`. */
type LogFields = Readonly<Record<string, unknown>>

/** Writes one entry: a message, or fields (or an error) and a message. */
interface LogMethod {
  (message: string): void
  (fields: LogFields | Error, message: string): void
}

type WrittenLevel = Exclude<LogLevel, 'silent'>

/** Writes one entry that an operator may have to act on. */
interface EventMethod {
  (event: LogEvent): void
  (fields: LogFields | Error, event: LogEvent): void
}

/** Methods for entries of each level. */
interface LogMethods {
  readonly trace: LogMethod
  readonly debug: LogMethod
  readonly info: LogMethod
  readonly warn: EventMethod
  readonly error: EventMethod
}

/** Writes log entries under one name. */
export interface Logger extends LogMethods {
  readonly name: string | null
  readonly level: LogLevel
  /** A logger that adds these fields to its entries; the binding `logger` is its qualified name. */
  child(bindings: LogFields & { readonly logger?: string }): Logger
  isEnabled(level: WrittenLevel): boolean
  /**
   * For entries that a client or a peer can cause repeatedly. Of entries with one message and one `cause`, a text or an error,
   * only the first is written in an interval (10 s), and of all causes of a message no more than 16; the next
   * written entry has the number of omitted ones as `suppressed`. With the transaction id as cause, up to 16 requests are logged.
   * The first entry of each `subject`, such as the server that fails, is written beside them: a failure that repeats hides no other.
   */
  limited(cause?: unknown, interval?: number, subject?: string): LogMethods
}

/** Options of the root logger. */
interface LoggerOptions {
  readonly level?: LogLevel
  /** Levels of single loggers, by name or by a prefix of whole name parts. */
  readonly levels?: LevelsByName
  readonly format?: 'json' | 'pretty' | 'auto'
  readonly destination?: LogDestination
  /** For the pretty format; by default as the terminal supports. */
  readonly colour?: 'colour' | 'plain'
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
}

const OWN_FIELDS: ReadonlySet<string> = new Set(['time', 'level', 'logger', 'code', 'message'])

interface Settings {
  readonly destination: LogDestination
  readonly level: LogLevel
  readonly levels: LevelsByName
  readonly repeats: Repeats
  readonly stacks: FirstStacks
}

class NamedLogger implements Logger {
  readonly name: string | null
  readonly level: LogLevel
  readonly trace: LogMethod
  readonly debug: LogMethod
  readonly info: LogMethod
  readonly warn: EventMethod
  readonly error: EventMethod
  readonly #settings: Settings
  readonly #bindings: LogFields
  /** The serialized bindings of every line; null before the first, which loggers of most objects never write. */
  #bound: string | null = null
  readonly #writeLimited: WriteLimited = (level, { key, interval, subject }, first, last) => {
    if (!this.isEnabled(level)) return
    const message = isMessage(first) ? first : (last ?? '')
    const text = typeof message === 'string' ? message : message.message
    const suppressed = this.#settings.repeats.admit(`${level} ${this.name} ${text}`, key, interval, subject)
    if (suppressed === null) return
    const fields = isMessage(first) ? {} : first instanceof Error ? { error: first } : first
    this.#write(level, suppressed === 0 ? fields : { ...fields, suppressed }, message)
  }

  constructor(settings: Settings, name: string | null, bindings: LogFields) {
    this.name = name
    this.level = name === null ? settings.level : levelOf(name, settings.levels, settings.level)
    this.#settings = settings
    this.#bindings = bindings
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

  isEnabled(level: WrittenLevel): boolean {
    return isAtLeast(level, this.level)
  }

  limited(cause: unknown = '', interval = REPEAT_INTERVAL, subject = ''): LogMethods {
    return new LimitedMethods({ key: keyOf(cause), interval, subject }, this.#writeLimited)
  }

  #method(level: WrittenLevel): LogMethod & EventMethod {
    if (!this.isEnabled(level)) return () => {}
    return (first: Entry, message?: Message) => {
      if (isMessage(first)) this.#write(level, {}, first)
      else this.#write(level, first, message ?? '')
    }
  }

  #write(level: WrittenLevel, fields: LogFields | Error, message: Message): void {
    const [code, text] = typeof message === 'string' ? ['', message] : [`,"code":"${message.code}"`, message.message]
    const printed = new Printer(this.#hasStack(level, fields)).fields(fields, OWN_FIELDS)
    this.#bound ??= boundMembers(this.name, this.#bindings)
    const head = `{"level":"${level}","time":"${new Date().toISOString()}"`
    const line = `${head}${this.#bound}${code}${members(printed)},"message":${JSON.stringify(bounded(text))}}\n`
    this.#settings.destination.write(line)
    notifyLineObserver(line)
  }

  /** Stacks are for developers: always at debug, at error the first time for each origin. */
  #hasStack(level: WrittenLevel, fields: LogFields | Error): boolean {
    if (this.isEnabled('debug')) return true
    if (level !== 'error') return false
    return this.#settings.stacks.isFirst(fields instanceof Error ? fields : fields['error'])
  }
}

type Message = string | LogEvent
type Entry = Message | LogFields | Error
type Limits = { readonly key: string; readonly interval: number; readonly subject: string }
type WriteLimited = (level: WrittenLevel, limits: Limits, first: Entry, last?: Message) => void

function isMessage(first: Entry): first is Message {
  return typeof first === 'string' || first instanceof LogEvent
}

/** Created for each entry that may be suppressed: a class, since closures would cost more. */
class LimitedMethods implements LogMethods {
  readonly #limits: Limits
  readonly #write: WriteLimited

  constructor(limits: Limits, write: WriteLimited) {
    this.#limits = limits
    this.#write = write
  }

  trace(first: Entry, message?: Message): void {
    this.#write('trace', this.#limits, first, message)
  }

  debug(first: Entry, message?: Message): void {
    this.#write('debug', this.#limits, first, message)
  }

  info(first: Entry, message?: Message): void {
    this.#write('info', this.#limits, first, message)
  }

  warn(first: Entry, message?: Message): void {
    this.#write('warn', this.#limits, first, message)
  }

  error(first: Entry, message?: Message): void {
    this.#write('error', this.#limits, first, message)
  }
}

/** Any value can be thrown, and converting it to text could run code of a script. */
function keyOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : cause
  return typeof text === 'string' || typeof text === 'number' ? String(text) : ''
}

function boundMembers(name: string | null, bindings: LogFields): string {
  const printed = new Printer().fields(bindings, OWN_FIELDS)
  return members(name === null ? printed : { logger: bounded(name), ...printed })
}

/** Serialized members, to be appended to others. */
function members(fields: object): string {
  const text = JSON.stringify(fields)
  return text === '{}' ? '' : `,${text.slice(1, -1)}`
}

function chooseDestination(options: LoggerOptions): LogDestination {
  const { format = 'auto', destination, colour } = options
  const target = destination ?? standardOutput()
  const pretty = format === 'pretty' || (format === 'auto' && destination === undefined && onTerminal())
  if (!pretty) return jsonLines(target)
  const coloured = destination === undefined && onTerminal() && terminalHasColours()
  return prettyLines(target, colour ?? (coloured ? 'colour' : 'plain'))
}

/** Creates the root logger: JSON lines, or readable ones on a terminal. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const logger = new NamedLogger(
    {
      destination: chooseDestination(options),
      level: options.level ?? 'info',
      levels: options.levels ?? {},
      repeats: new Repeats(options.now ?? (() => performance.now())),
      stacks: new FirstStacks(),
    },
    null,
    {},
  )
  const output = options.destination === undefined ? standardOutput() : null
  if (output instanceof StandardOutput) {
    output.onRecovery = (lost) => logger.warn({ lost }, EVENTS.LINES_LOST)
  }
  return logger
}
