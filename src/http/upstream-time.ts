/** The last upstream of one request, and the time that the request waited for all. */
export class UpstreamTime {
  /** Milliseconds from sending requests upstream to their response heads; null without an upstream. */
  total: number | null = null

  /** Host and port of the last one; null without an upstream. */
  address: string | null = null
  /** Why it sent no response, in one word; null where it did. */
  failure: string | null = null

  /** Adds a wait that began at a time of `performance.now()`. */
  add(startedAt: number): void {
    this.total = (this.total ?? 0) + performance.now() - startedAt
  }
}
