import type { BodySource } from './body-flow.ts'

/** Content that was written to a file and can be read as often as needed until it is disposed of. */
export interface StoredContent {
  readonly length: number
  bytes(): Uint8Array
  source(trailers: readonly string[] | null): BodySource
  dispose(): void
}
