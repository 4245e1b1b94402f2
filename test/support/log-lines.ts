import type { LogDestination, LogEntry } from '#logging'

/** The log of a running gateway, with waits for further lines. */
export class LogLines implements LogDestination {
  readonly lines: string[] = []
  readonly #waiting = new Set<() => void>()

  write(text: string): void {
    for (const line of text.split('\n')) if (line !== '') this.lines.push(line)
    for (const look of [...this.#waiting]) look()
  }

  /** The lines as entries; every line of a gateway is one JSON object. */
  get entries(): LogEntry[] {
    return this.lines.map((line) => JSON.parse(line) as LogEntry)
  }

  with(pattern: RegExp): LogEntry[] {
    return this.lines.filter((line) => pattern.test(line)).map((line) => JSON.parse(line) as LogEntry)
  }

  /** The first line from position `from` on that matches, present or future. */
  until(pattern: RegExp, from = 0, seconds = 20): Promise<LogEntry> {
    const { promise, resolve, reject } = Promise.withResolvers<LogEntry>()
    const timer = setTimeout(
      () =>
        reject(
          new Error(`no log line ${pattern} within ${seconds} s; there are:\n${this.lines.slice(from).join('\n')}`),
        ),
      seconds * 1000,
    )
    const look = (): void => {
      const line = this.lines.slice(from).find((text) => pattern.test(text))
      if (line !== undefined) resolve(JSON.parse(line) as LogEntry)
    }
    this.#waiting.add(look)
    look()
    return promise.finally(() => {
      clearTimeout(timer)
      this.#waiting.delete(look)
    })
  }
}
