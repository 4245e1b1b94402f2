import type { Request } from '#http'
import type { HostTable } from './host-function.ts'
import { secretIdProblem } from './script-secrets.ts'

/** Expected result of a script. `json` is any data. */
export type ResultShape = 'response' | 'texts' | 'text' | 'rate' | 'json'

/** The levels of a script's log entries. */
export type ScriptLogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error'

/** Interface of one evaluation to the gateway. */
export interface EvaluationPort {
  readonly result: ResultShape
  readonly request: Request
  readonly token: string | null
  /** `context`, `contexts`, `attributes` or `session`. */
  lookup(name: string): object
  /** The value of an entry of `args`, or of a binding of this evaluation. */
  argument(name: string): unknown
  /** Whether the value is the same for all evaluations; heap objects are called on behalf of one evaluation. */
  isShared(name: string): boolean
  /** Starts an asynchronous call; its result is passed in a later run, with the number of the call. */
  startCall(number: number, what: string, subject: unknown, argument: unknown): void
  logs(level: ScriptLogLevel): boolean
  log(level: ScriptLogLevel, text: string): void
  deliver(value: unknown): void
  failed(message: string, stack: string, cause: unknown): void
}

/** An object of the heap that is passed to a script. */
export class HeapObject {
  readonly kind: string
  readonly object: unknown

  constructor(kind: string, object: unknown) {
    this.kind = kind
    this.object = object
  }
}

/** The only interface of code in a realm to an evaluation. */
export const hostEvaluations = {
  result: (port: EvaluationPort): ResultShape => port.result,
  request: (port: EvaluationPort): Request => port.request,
  token: (port: EvaluationPort): string | null => port.token,
  lookup: (port: EvaluationPort, name: string): object => port.lookup(name),
  argument: (port: EvaluationPort, name: string): unknown => port.argument(name),
  isShared: (port: EvaluationPort, name: string): boolean => port.isShared(name),
  startCall: (port: EvaluationPort, number: number, what: string, subject: unknown, argument: unknown): void =>
    port.startCall(number, what, subject, argument),
  logs: (port: EvaluationPort, level: ScriptLogLevel): boolean => port.logs(level),
  log: (port: EvaluationPort, level: ScriptLogLevel, text: string): void => port.log(level, text),
  deliver: (port: EvaluationPort, value: unknown): void => port.deliver(value),
  failed: (port: EvaluationPort, message: string, stack: string, cause: unknown): void =>
    port.failed(message, stack, cause),
  /** Why a text is no secret id; null where it is one. */
  secretIdProblem: (text: string): string | null => secretIdProblem(text),
  /** The kind of an object of the heap; null for everything else. */
  heapKind: (value: unknown): string | null => (value instanceof HeapObject ? value.kind : null),
}

/** The same, as a realm calls it. */
export type HostEvaluations = HostTable<typeof hostEvaluations>
