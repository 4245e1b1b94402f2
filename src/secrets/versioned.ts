/** Content of a source, and a digest or state that differs when the content differs. */
export interface Versioned<T> {
  readonly content: T
  readonly version: string
}

/** Milliseconds after a failed read during which the source is not read again. */
export const READ_FAILURE_PAUSE = 1_000
