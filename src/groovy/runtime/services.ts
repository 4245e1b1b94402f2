/** What a host offers to the library of its scripts. */
export interface Services {
  /** Milliseconds since the epoch. */
  now(): number
  /** Variables of the environment that scripts may see. */
  readonly environment: ReadonlyMap<string, string>
}

/** For hosts that offer nothing. */
export const DEFAULT_SERVICES: Services = { now: () => Date.now(), environment: new Map() }
