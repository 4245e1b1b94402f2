/** Meaning of an event for traffic, and the action for the operator: docs/reference/log-events.md. */
interface LogEventNote {
  readonly message: string
  readonly meaning: string
  readonly action: string
}

/** The message of an entry of level warn or error, with a stable code for alerts and runbooks. */
export class LogEvent implements LogEventNote {
  readonly code: string
  readonly message: string
  readonly meaning: string
  readonly action: string

  constructor(code: string, { message, meaning, action }: LogEventNote) {
    this.code = code
    this.message = message
    this.meaning = meaning
    this.action = action
  }

  /** The same event with a message for this occurrence. */
  withMessage(message: string): LogEvent {
    return new LogEvent(this.code, { message, meaning: this.meaning, action: this.action })
  }
}

/**
 * The table of a folder, in its `log-events.json`. The code of an event is the prefix and its name in the table; its meaning
 * never changes.
 */
export function logEvents<const T extends Readonly<Record<string, LogEventNote>>>(
  prefix: string,
  notes: T,
): { readonly [Name in keyof T]: LogEvent } {
  const events = Object.entries(notes).map(([name, note]) => [name, new LogEvent(`${prefix}_${name}`, note)])
  return Object.fromEntries(events)
}
