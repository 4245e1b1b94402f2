import type { Logger } from '#logging'
import type { Clock, Directories, Metrics, RouterHost } from '#schema'
import type { Catalogue } from './catalogue.ts'

/** What all heaps of a gateway unit have in common. */
export interface World {
  readonly catalogue: Catalogue
  readonly logger: Logger
  readonly clock: Clock
  readonly directories: Directories
  readonly units: number
  /** The header field that carries transaction ids between servers. */
  readonly transactionIdHeader: string
  readonly router: RouterHost
  /** Metrics of one object, by its qualified name. */
  metrics(name: string): Metrics
  /** Memory shared over all units under a key. */
  shared(key: string, bytes: number): SharedArrayBuffer
}
