import type { Request } from '#http'

/** What a script may have to return. `json` is any data. */
export type ResultShape = 'response' | 'texts' | 'text' | 'rate' | 'json'

/** The levels of a script's log entries. */
export type ScriptLogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error'

/** What one evaluation has of the gateway, and the only way in which its realm speaks to it. */
export interface EvaluationPort {
  readonly result: ResultShape
  readonly request: Request
  readonly token: string | null
  /** `context`, `contexts`, `attributes` or `session`. */
  lookup(name: string): object
  /** The value of an entry of `args`, or of what else this evaluation has by that name. */
  argument(name: string): unknown
  /** Whether the value is the same for all evaluations; objects of the heap are called on behalf of one. */
  isLasting(name: string): boolean
  /** Asks for something that takes time; the answer comes in a later stretch. */
  ask(
    what: string,
    subject: unknown,
    argument: unknown,
    resolve: (value: unknown) => void,
    reject: (message: string, cause: unknown) => void,
  ): void
  logs(level: ScriptLogLevel): boolean
  log(level: ScriptLogLevel, text: string): void
  deliver(value: unknown): void
  failed(message: string, stack: string, cause: unknown): void
}

/** Objects of the heap among the arguments of a script. */
export interface HeapValues {
  /** The kind of such an object; null for everything else. */
  heapKind(value: unknown): string | null
}

/** An object of the heap that is handed to a script. */
export class HeapObject {
  readonly kind: string
  readonly object: unknown

  constructor(kind: string, object: unknown) {
    this.kind = kind
    this.object = object
  }
}

/** Finds objects of the heap in what is handed to scripts. */
export const heapValues: HeapValues = {
  heapKind: (value) => (value instanceof HeapObject ? value.kind : null),
}
