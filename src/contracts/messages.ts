import type { GatewaySettings, ObjectState, Problem } from '#schema'

/** A route as it is sent to units: its text, so that each unit reads exactly what was checked. */
export interface RouteSource {
  /** Name of the file. */
  readonly file: string
  readonly id: string
  readonly name: string
  /** Hash of the canonical content. */
  readonly revision: string
  readonly text: string
}

/** One step of a deploy: a route to put in place, or the id of one to take away. */
export type RouteChange = { readonly put: RouteSource } | { readonly remove: string }

/** Problems of one change, by its position in the deploy. */
export interface ChangeProblems {
  readonly change: number
  readonly problems: readonly Problem[]
}

/** Why one route could not be built. */
export interface RouteFailure {
  readonly id: string
  readonly problems: readonly Problem[]
}

/** What the author of a route that is now served should know. */
export interface RouteWarnings {
  readonly directory: string
  readonly id: string
  readonly revision: string
  readonly warnings: readonly Problem[]
}

/** How an object of a unit is doing; null takes back what it said before. */
export interface ObjectStatus {
  /** Tells apart the objects of one unit, also those of two versions of a route. */
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
  /** As it would stand in the request line. */
  readonly target: string
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[]
  readonly scheme: 'http' | 'https'
  readonly clientAddress: string
  readonly body: string
}

/** A route that was asked whether it takes a request. */
export interface ConditionResult {
  readonly id: string
  readonly name: string
  readonly condition: string
  readonly value: boolean
  /** Why the condition failed, which counts as false. */
  readonly failure?: string
}

/** What the routes of a router say to a request: those asked, in order, and the id of the one that takes it. */
export interface RouteMatch {
  readonly tried: readonly ConditionResult[]
  readonly route: string | null
}

/** A router that asks for the routes of its folder. */
export interface RouterOpening {
  readonly directory: string
  readonly scanInterval: number
  readonly name: string
  /** Fully qualified name, as metrics give it. */
  readonly router: string
}

/** What became of the start of a unit: its ports, or why it can not serve. */
export type UnitStart =
  | { readonly ports: readonly number[] }
  | { readonly problems: readonly Problem[]; readonly message: string }

/** A connector as units open it: plain data, times in milliseconds. */
export interface ConnectorSettings {
  readonly ports: readonly number[]
  readonly host: string
  readonly gracePeriod: number
  readonly maxTotalHeadersSize: number
  readonly requestTimeout: number
  readonly headersTimeout: number
  readonly keepAliveTimeout: number
  readonly idleTimeout: number
  readonly serverOptions: Readonly<Record<string, unknown>>
  /** Whether it speaks TLS. */
  readonly secure: boolean
}

/** What every unit is started with. Plain data: it crosses a thread boundary. */
export interface UnitSettings {
  readonly unit: number
  readonly units: number
  readonly reusePort: boolean
  readonly instance: string
  readonly temporaryDirectory: string
  readonly mode: 'PRODUCTION' | 'DEVELOPMENT'
  readonly systemProperties: Readonly<Record<string, string>>
  /** What admin.json says beyond the fields that are resolved here. */
  readonly settings: GatewaySettings
  readonly connectors: readonly ConnectorSettings[]
  /** Text of admin.json; null where no connector speaks TLS, so that units need nothing of it. */
  readonly admin: string | null
  /** Text of config.json; null without one. */
  readonly config: string | null
  readonly logging: { readonly level: string; readonly format: 'json' | 'pretty' | 'auto' }
  /** The lock of standard output, which all threads of the gateway write to. */
  readonly output: SharedArrayBuffer
}
