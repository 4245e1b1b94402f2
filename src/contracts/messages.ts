import type { ExpressionPart } from '#expression'
import type { ConnectorLimits, GatewaySettings, ObjectState, Problem, RouteOrder } from '#schema'
import type { ListeningSocket } from './listening-socket.ts'

/** A route as it is sent to units: as text, so that each unit parses exactly the validated content. */
export interface RouteSource {
  /** Name of the file. */
  readonly file: string
  readonly id: string
  readonly name: string
  /** Hash of the canonical content. */
  readonly revision: string
  readonly text: string
}

/** One change of a deploy: a route to create or replace, or the id of one to remove. */
export type RouteChange = { readonly put: RouteSource } | { readonly remove: string }

/** Paths of the files that were read or sought for a route that could not be built, missing ones included. */
type SoughtFiles = readonly string[]

/** Problems of one change, by its position in the deploy. */
export interface ChangeProblems {
  readonly change: number
  readonly problems: readonly Problem[]
  readonly files?: SoughtFiles
}

/** Why one route could not be built. */
export interface RouteFailure {
  readonly id: string
  readonly problems: readonly Problem[]
  readonly files?: SoughtFiles
}

/** Warnings about a route that is now served. */
export interface RouteWarnings {
  readonly directory: string
  readonly id: string
  readonly revision: string
  readonly warnings: readonly Problem[]
}

/** State of an object of a unit; a null report withdraws the last one. */
export interface ObjectStatus {
  /** Distinguishes the objects of one unit, also those of two versions of a route. */
  readonly reporter: number
  readonly report: {
    /** Qualified name of the object. */
    readonly object: string
    /** The folder and the id of the route it belongs to; null for an object of config.json. */
    readonly route: { readonly directory: string; readonly id: string } | null
    readonly state: ObjectState
    readonly detail: string
  } | null
}

/** A simulated request, as plain data. */
export interface SimulatedRequestMessage {
  readonly method: string
  /** As in the request line. */
  readonly target: string
  /** Names and values alternately. */
  readonly rawHeaders: readonly string[]
  readonly scheme: 'http' | 'https'
  readonly clientAddress: string
  readonly body: string
}

/** An expression to evaluate for a simulated request, in the scope of a route or of its router. */
export interface EvaluationMessage {
  /** Qualified name of the router. */
  readonly router: string
  /** Id of a served route; null for the scope of the router. */
  readonly route: string | null
  readonly expression: string
  readonly request: SimulatedRequestMessage
  readonly response: {
    readonly status: number
    /** Names and values alternately. */
    readonly rawHeaders: readonly string[]
    readonly body: string
  } | null
}

/** Value of an expression as JSON, or its error with the column in the text where that is known. */
export type EvaluationResult =
  | { readonly json: string; readonly type: string; readonly truncated: boolean }
  | { readonly error: { readonly message: string; readonly column?: number } }
  /** The route is not served. */
  | { readonly missing: true }

/** An unfinished expression, and the offset at which names are wanted. */
export interface CompletionMessage extends EvaluationMessage {
  readonly offset: number
}

/** Names that fit at the offset, in the place of the text between `from` and the offset. */
export type CompletionResult =
  | {
      readonly from: number
      readonly options: readonly { readonly name: string; readonly kind: string; readonly detail?: string }[]
    }
  /** The route is not served. */
  | { readonly missing: true }

/** Result of a route's condition for a request. */
export interface ConditionResult {
  readonly id: string
  readonly name: string
  readonly condition: string
  readonly value: boolean
  /** Error of the condition, which counts as false. */
  readonly failure?: string
  /** Values of its parts, where they are asked for. */
  readonly parts?: readonly ExpressionPart[]
}

/** Result of matching a request: the evaluated conditions in order, and the id of the matching route. */
export interface RouteMatch {
  readonly tried: readonly ConditionResult[]
  readonly route: string | null
}

/** A router that is built for a folder. */
export interface RouterOpening {
  readonly directory: string
  readonly scanInterval: number
  readonly name: string
  /** The order in which its routes are tried. */
  readonly order: RouteOrder
  /** Fully qualified name, as in metrics. */
  readonly router: string
}

/** Result of the start of a unit: its ports and sockets, which a unit aside has not opened, or its problems. */
export type UnitStart =
  | { readonly ports: readonly number[]; readonly sockets: readonly ListeningSocket[] }
  | { readonly problems: readonly Problem[]; readonly message: string }

/** How a unit stops. */
export interface DrainMessage {
  /**
   * Whether other units or another process have its ports: idle connections may send a further request, and upgraded ones last as
   * long as the grace period.
   */
  readonly isHandover: boolean
}

/** A connector as units open it: plain data, times in milliseconds. */
export interface ConnectorSettings extends ConnectorLimits {
  readonly ports: readonly number[]
  readonly host: string
  readonly serverOptions: Readonly<Record<string, unknown>>
  readonly secure: boolean
}

/** Which traces are recorded. */
export interface SamplerPlan {
  /** Whether the decision of the caller counts, for a trace that is joined. */
  readonly isParentBased: boolean
  /** Part of the other traces, from 0 to 1. */
  readonly ratio: number
}

/** Topics of spans and log lines in batches of units. */
export const SPAN_TOPIC = 'spans'
export const LOG_TOPIC = 'logs'

/** Telemetry of units. */
export interface TelemetrySettings {
  /** Null where requests are not traced. */
  readonly sampler: SamplerPlan | null
  readonly exportsLogs: boolean
  /** Milliseconds for which spans and log lines wait for others. */
  readonly scheduleDelay: number
  /** Spans and log lines of one message to the control thread. */
  readonly maxBatch: number
  /** Those that a unit has sent and the control thread has not read; beyond it they are dropped. */
  readonly maxQueue: number
}

/** Folders of a configuration that is served in the place of the instance's own. */
export interface ServedFolders {
  /** With config.json and, in `routes`, the routes. */
  readonly config: string
  readonly scripts: string
}

/** Start data of a unit. Plain data: it crosses a thread boundary. */
export interface UnitSettings {
  /** Its number, which no other unit that runs has; the first of those that start together has a multiple of `units`. */
  readonly unit: number
  /** How many serve; while units are replaced there are more. */
  readonly units: number
  readonly reusePort: boolean
  readonly instance: string
  /** The state directory; null where files are written to the instance. */
  readonly state: string | null
  readonly temporaryDirectory: string
  readonly mode: 'PRODUCTION' | 'DEVELOPMENT'
  readonly systemProperties: Readonly<Record<string, string>>
  /** Settings of admin.json beyond the fields that are resolved here. */
  readonly settings: GatewaySettings
  readonly connectors: readonly ConnectorSettings[]
  /** The management connector, which no route may lead to. */
  readonly management: Pick<ConnectorSettings, 'host' | 'ports'>
  /** Text of admin.json; null where units need none of its objects. */
  readonly admin: string | null
  /** Text of config.json; null without one. */
  readonly config: string | null
  /** Null for those of the instance. */
  readonly folders: ServedFolders | null
  /** Content of error responses; `handler`: of the one in admin.json. */
  readonly errors: 'auto' | 'html' | 'json' | 'none' | 'handler'
  readonly logging: { readonly level: string; readonly format: 'json' | 'pretty' | 'auto' }
  /** The lock of standard output, which all threads of the gateway write to. */
  readonly output: SharedArrayBuffer
  /** Secrets of TLS session tickets (TicketSecrets); null where no connector uses TLS. */
  readonly tickets: SharedArrayBuffer | null
  /** Null where units export nothing. */
  readonly telemetry: TelemetrySettings | null
}
