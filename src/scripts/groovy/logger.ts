import { type ClassInfo, classes, GroovyObject, ThrowableValue, textOf, type Value } from '@identity-gateway/groovy'
import type { ScriptLogLevel } from '../evaluation-port.ts'
import { writeScriptEntry } from '../log-events.ts'
import { currentHost } from './evaluation-host.ts'
import { extendWithHost } from './host-class.ts'

export const LoggerClass = classes.declareInterface('org.slf4j.Logger')
export const LoggerFactoryClass = classes.declareClass('org.slf4j.LoggerFactory')

// Limits of the log of one evaluation: a script that logs in a loop must not exhaust memory before it is stopped.
const MAX_ENTRIES = 1_000
const MAX_TEXT = 16_384

/** The logger of the evaluation that uses it. It has no state of its own: static fields of classes outlive evaluations. */
class LoggerValue extends GroovyObject {
  get klass(): ClassInfo {
    return LoggerClass
  }

  isEnabled(level: ScriptLogLevel): boolean {
    const { logger, logged } = currentHost()
    return logged.entries < MAX_ENTRIES && logger.isEnabled(level)
  }

  log(level: ScriptLogLevel, message: Value, args: readonly Value[]): void {
    if (!this.isEnabled(level)) return
    const { logger, logged } = currentHost()
    logged.entries += 1
    writeScriptEntry(logger, level, filled(textOf(message), args).slice(0, MAX_TEXT))
  }
}

export const scriptLogger = new LoggerValue()

/** Replaces each `{}` by the next argument; a further exception is appended. */
function filled(message: string, args: readonly Value[]): string {
  let at = 0
  const text = message.replaceAll('{}', (hole) => (at < args.length ? shown(args[at++] as Value) : hole))
  return [text, ...args.slice(at).map(shown)].join(' ')
}

function shown(value: Value): string {
  if (!(value instanceof ThrowableValue)) return textOf(value)
  const location = value.location === null ? '' : ` (${value.location.file}:${value.location.line})`
  return `${textOf(value)}${location}`
}

const LEVELS: readonly ScriptLogLevel[] = ['trace', 'debug', 'info', 'warn', 'error']

extendWithHost(
  LoggerClass,
  Object.fromEntries(
    LEVELS.flatMap((level) => [
      [
        `${level}(Object? message, Object... args): void`,
        (self: LoggerValue, message: Value, args: Value[]) => self.log(level, message, args),
      ],
      [
        `is${level.charAt(0).toUpperCase()}${level.slice(1)}Enabled(): boolean`,
        (self: LoggerValue) => self.isEnabled(level),
      ],
    ]),
  ),
)

extendWithHost(LoggerFactoryClass, {
  'static getLogger(String name): Logger': () => scriptLogger,
  'static getLogger(Class type): Logger': () => scriptLogger,
})
