/** Time that one request waited for upstreams. */
export class UpstreamTime {
  /** Milliseconds from sending requests upstream to their response heads; null without an upstream. */
  total: number | null = null

  /** Adds a wait that began at a time of `performance.now()`. */
  add(startedAt: number): void {
    this.total = (this.total ?? 0) + performance.now() - startedAt
  }
}
