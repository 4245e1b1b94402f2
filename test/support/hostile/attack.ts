/** Ports of the gateway under attack. */
export interface Target {
  readonly port: number
  /** TLS with HTTP/1.1 and HTTP/2. */
  readonly securePort: number
}

/** One kind of hostile client. A turn opens its connections, takes a few seconds at most and closes them. */
export interface Attack {
  readonly name: string
  /** How many turns run at the same time. */
  readonly clients: number
  turn(target: Target, round: number): Promise<void>
}

/** An element for each round, in order. */
export function pick<T>(list: readonly T[], round: number): T {
  return list[round % list.length] as T
}
