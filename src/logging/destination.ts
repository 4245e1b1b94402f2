import { isatty, WriteStream } from 'node:tty'
import { oneJsonLine } from './one-line.ts'
import { type LogEntry, prettyLine } from './pretty.ts'

/** Receives log lines; each call is exactly one line with its line end. */
export interface LogDestination {
  write(line: string): void
}

const standardOutput = 1

/** Whether standard output is a terminal; also valid in a worker thread, unlike `process.stdout.isTTY`. */
export function onTerminal(): boolean {
  return isatty(standardOutput)
}

/** Whether the terminal supports colours; follows NO_COLOR, FORCE_COLOR and TERM as Node does. */
export function terminalHasColours(): boolean {
  return WriteStream.prototype.getColorDepth() > 1
}

/** A destination that escapes control characters in each JSON line. */
export function jsonLines(target: LogDestination): LogDestination {
  return { write: (line) => target.write(oneJsonLine(line)) }
}

/** A destination that formats each JSON line for reading. */
export function prettyLines(target: LogDestination, colour: 'colour' | 'plain'): LogDestination {
  return { write: (line) => target.write(prettyLine(JSON.parse(line) as LogEntry, colour)) }
}

/** A destination in memory, for tests. */
export interface MemoryLog extends LogDestination {
  readonly lines: readonly string[]
  readonly entries: readonly LogEntry[]
  clear(): void
}

/** Collects log lines in memory; `entries` are the parsed lines of a logger with the JSON format. */
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
