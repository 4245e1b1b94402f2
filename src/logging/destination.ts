import { isatty, WriteStream } from 'node:tty'
import { destination as openDestination } from 'pino'
import { oneJsonLine } from './one-line.ts'
import { type LogEntry, prettyLine } from './pretty.ts'

/** Where finished log lines go; each call hands over exactly one line with its line end. */
export interface LogDestination {
  write(line: string): void
}

const standardOutput = 1

/** Whether standard output is a terminal; true also in a worker thread, where `process.stdout` does not say so. */
export function onTerminal(): boolean {
  return isatty(standardOutput)
}

/** Whether the terminal takes colours; follows NO_COLOR, FORCE_COLOR and TERM as Node does. */
export function terminalHasColours(): boolean {
  return WriteStream.prototype.getColorDepth() > 1
}

/** Lines that wait for a disk that is full; more than that are lost. */
const LONGEST_BACKLOG = 1024 * 1024

/** How the logs of this thread failed (threats F16). */
export interface LogFailures {
  /** Attempts to write that failed; what was to be written waits for the next one. */
  readonly failed: number
  /** Lines that were given up. */
  readonly lost: number
}

const failures = { failed: 0, lost: 0 }

/** What went wrong so far with the logs of this thread. */
export function logFailures(): LogFailures {
  return failures
}

/** Standard output, written at once, so that no line is lost in a crash and lines of threads do not mix. */
export function standardDestination(): LogDestination {
  const output = openDestination({ fd: standardOutput, sync: true, maxLength: LONGEST_BACKLOG })
  // A reader that has gone away (EPIPE) or a full disk must not end the gateway.
  output.on('error', () => {
    failures.failed++
  })
  output.on('drop', () => {
    failures.lost++
  })
  return {
    write: (line) => {
      output.write(line)
    },
  }
}

/** A destination that makes each JSON line safe for any reader. */
export function jsonLines(target: LogDestination): LogDestination {
  return { write: (line) => target.write(oneJsonLine(line)) }
}

/** A destination that turns each JSON line into a readable one. */
export function prettyLines(target: LogDestination, colour: 'colour' | 'plain'): LogDestination {
  return { write: (line) => target.write(prettyLine(JSON.parse(line) as LogEntry, colour)) }
}

/** A destination that keeps what was logged, for tests. */
export interface MemoryLog extends LogDestination {
  readonly lines: readonly string[]
  readonly entries: readonly LogEntry[]
  clear(): void
}

/** Keeps log lines in memory; `entries` are the parsed lines of a logger with the JSON format. */
export function memoryLog(): MemoryLog {
  const lines: string[] = []
  return {
    lines,
    get entries() {
      return lines.map((line) => JSON.parse(line) as LogEntry)
    },
    write(line) {
      lines.push(line)
    },
    clear() {
      lines.length = 0
    },
  }
}
