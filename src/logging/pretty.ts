import { oneLine } from './one-line.ts'

/** One log entry in its JSON form. */
export interface LogEntry {
  readonly time: string
  readonly level: string
  readonly logger?: string
  readonly message?: string
  readonly [field: string]: unknown
}

const colours: Readonly<Record<string, number>> = { trace: 90, debug: 36, info: 32, warn: 33, error: 31 }
const dim = 2
const bold = 1

function paint(text: string, code: number, colour: 'colour' | 'plain'): string {
  return colour === 'colour' ? `\u001b[${code}m${text}\u001b[0m` : text
}

function fieldText(value: unknown): string {
  if (typeof value !== 'string') return oneLine(JSON.stringify(value) ?? 'null')
  return /^[^\s"=]+$/.test(value) ? oneLine(value) : oneLine(JSON.stringify(value))
}

interface ErrorFields {
  readonly name?: unknown
  readonly code?: unknown
  readonly message?: unknown
  readonly cause?: unknown
  readonly stack?: unknown
}

// The frames only: the message is written already.
function frames(stack: unknown): string {
  if (typeof stack !== 'string') return ''
  const at = stack.search(/\n[ \t]+at /)
  return at < 0
    ? ''
    : stack
        .slice(at)
        .replace(/\n[ \t]+at /g, ' < ')
        .trim()
}

function errorText(error: ErrorFields): string {
  const code = error.code === undefined ? '' : ` ${String(error.code)}`
  const cause = typeof error.cause === 'object' && error.cause !== null ? `; cause: ${errorText(error.cause)}` : ''
  return `${String(error.name ?? 'Error')}${code}: ${String(error.message ?? '')}${cause}`
}

/** Formats an entry as one readable line: time, level, logger, message, fields. */
export function prettyLine(entry: LogEntry, colour: 'colour' | 'plain'): string {
  const { time, level, logger, message, error, ...fields } = entry
  const parts = [
    paint(oneLine(time.slice(11, 23)), dim, colour),
    paint(oneLine(level.toUpperCase().padEnd(5)), colours[level] ?? bold, colour),
  ]
  if (logger !== undefined) parts.push(paint(oneLine(logger), dim, colour))
  if (message !== undefined) parts.push(oneLine(message))
  for (const [name, value] of Object.entries(fields)) {
    parts.push(`${paint(`${oneLine(name)}=`, dim, colour)}${fieldText(value)}`)
  }
  if (typeof error === 'object' && error !== null) {
    parts.push(paint(oneLine(errorText(error)), colours['error'] ?? bold, colour))
    const stack = frames((error as ErrorFields).stack)
    if (stack !== '') parts.push(paint(oneLine(stack), dim, colour))
  } else if (error !== undefined) {
    parts.push(`${paint('error=', dim, colour)}${fieldText(error)}`)
  }
  return `${parts.join(' ')}\n`
}
