/** Services of a host for the library. */
export interface Services {
  /** Milliseconds since the epoch. */
  now(): number
  /** Variables of the environment that scripts may see. */
  readonly environment: ReadonlyMap<string, string>
  /** A system property that scripts may see, or null. */
  property(name: string): string | null
  /** Maximum digits of one number in JSON that a script parses. */
  readonly maxDigits: number
}

/** For hosts without services. */
export const DEFAULT_SERVICES: Services = {
  now: () => Date.now(),
  environment: new Map(),
  property: () => null,
  maxDigits: 1_000,
}
